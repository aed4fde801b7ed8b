#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The bytes of a file, which is read piece by piece.
///
/// It is not mapped, so that a file truncated by another program gives an error.
package final class FileBytes: Sendable {
  /// The range of a part of the file; always inside the file.
  package struct Section: Sendable {
    let offset: UInt64
    let length: UInt64
  }

  /// The path as it was given.
  package let path: String

  /// The whole file.
  let all: Section

  /// The identity of the file's contents: other files, and changed ones, have another.
  package let identity: String

  private let descriptor: Int32

  /// Opens a file.
  ///
  /// - Throws: `TileFileError` if it is missing, or is not a regular file.
  package init(path: String) throws {
    // does not block if the name is that of a pipe
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      throw TileFileError(
        path,
        because: "it cannot be opened (\(String(cString: strerror(code))))",
        isMissing: code == ENOENT
      )
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw TileFileError(path, because: "it is not a regular file")
    }
    self.path = path
    self.descriptor = descriptor
    all = Section(offset: 0, length: UInt64(status.st_size))
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    identity = "\(status.st_ino).\(status.st_size).\(time.tv_sec).\(time.tv_nsec)"
  }

  deinit {
    close(descriptor)
  }

  /// The first bytes, at most `count`.
  package func start(_ count: Int) throws -> [UInt8] {
    let length = min(UInt64(count), all.length)
    return try read(Section(offset: 0, length: length), count)
  }

  /// A part of a part of the file.
  ///
  /// - Throws: `TileFileError` if it is outside the file.
  func section(_ offset: UInt64, _ length: UInt64, of outer: Section) throws -> Section {
    guard offset <= outer.length, length <= outer.length - offset else {
      throw TileFileError(path, because: "it is truncated")
    }
    return Section(offset: outer.offset + offset, length: length)
  }

  /// Bytes of a part of the file.
  ///
  /// - Throws: `TileFileError` if they are outside the part, or more than a limit.
  func read(
    _ offset: UInt64,
    _ length: UInt64,
    of outer: Section,
    _ limit: Int
  ) throws -> [UInt8] {
    try read(section(offset, length, of: outer), limit)
  }

  /// The bytes of a part of the file.
  ///
  /// - Throws: `TileFileError` if they are more than a limit, or cannot be read.
  func read(_ section: Section, _ limit: Int) throws -> [UInt8] {
    guard section.length <= UInt64(limit) else {
      throw TileFileError(path, because: "a part of it is longer than \(limit) bytes")
    }
    let wanted = Int(section.length)
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { space, filled in
      filled = 0
      while filled < wanted {
        let start = space.baseAddress.map { $0 + filled }
        let count = pread(descriptor, start, wanted - filled, off_t(section.offset) + off_t(filled))
        if count < 0, errno == EINTR { continue }
        if count < 0 { code = errno }
        guard count > 0 else { break }
        filled += count
      }
    }
    guard bytes.count == wanted else {
      let reason = code == 0 ? "it is truncated" : String(cString: strerror(code))
      throw TileFileError(path, because: "it cannot be read (\(reason))")
    }
    return bytes
  }
}

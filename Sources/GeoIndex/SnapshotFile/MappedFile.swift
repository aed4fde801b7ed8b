#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A regular file that is open for reading and for being mapped into memory.
///
/// A mapping stays valid when its file is replaced by another. Truncating a mapped file kills its
/// readers; geoq never does that.
struct MappedFile: ~Copyable {
  let path: String
  let byteCount: Int
  private let descriptor: Int32

  /// Opens a file.
  ///
  /// Symbolic links are rejected. Opening never blocks: a pipe is opened without waiting for a
  /// writer, and then rejected like everything that is not a regular file.
  init(path: String) throws(SnapshotError) {
    guard !SystemCall.hasZeroByte(path) else {
      throw .unusable(path, because: "its path holds a zero byte")
    }
    let descriptor: Int32
    do {
      let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      descriptor = try SystemCall.descriptor(of: path, flags)
    } catch {
      throw .unusable(path, because: Self.reason(error))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let failure = SystemCall.Failure(code: errno)
      close(descriptor)
      throw .unusable(path, because: "it cannot be examined (\(failure.text))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw .unusable(path, because: isFolder ? "it is a folder" : "it is not a regular file")
    }
    self.path = path
    byteCount = Int(status.st_size)
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  private static func reason(_ failure: SystemCall.Failure) -> String {
    switch failure.code {
    case ENOENT: "there is no such file"
    case ELOOP: "it is a symbolic link"
    case EACCES, EPERM: "it may not be read (\(failure.text))"
    default: "it cannot be opened (\(failure.text))"
    }
  }

  /// Copies the first bytes of the file, or all of a shorter one.
  func start(_ count: Int) throws(SnapshotError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var length = 0
    do {
      while length < count {
        let more = try SystemCall.run {
          bytes.withUnsafeMutableBytes { buffer in
            pread(descriptor, buffer.baseAddress.map { $0 + length }, count - length, off_t(length))
          }
        }
        if more == 0 { break }
        length += more
      }
    } catch {
      throw .unusable(path, because: "it cannot be read (\(error.text))")
    }
    bytes.removeLast(count - length)
    return bytes
  }

  /// Maps the whole file, to be read only.
  ///
  /// - Parameter treeChecksums: the checksums of the tree's sections in the file.
  /// - Returns: the mapping, which outlives this value.
  /// - Throws: ``SnapshotError`` if the system refuses.
  func map(treeChecksums: [UInt64]) throws(SnapshotError) -> TreeStorage {
    do {
      return try TreeStorage(file: descriptor, byteCount: byteCount, treeChecksums: treeChecksums)
    } catch {
      throw .unusable(path, because: "it cannot be mapped into memory (\(error.text))")
    }
  }

  /// Gives a mapping of this file its own copy of a page, which later writes to the file do not change.
  ///
  /// - Parameters:
  ///   - offset: an offset in the page; nothing happens beyond the end of the file.
  ///   - storage: the mapping.
  /// - Throws: ``SnapshotError`` if the system refuses.
  func copyPage(at offset: Int, of storage: TreeStorage) throws(SnapshotError) {
    let start = offset / SystemCall.pageSize * SystemCall.pageSize
    let count = min(SystemCall.pageSize, byteCount - start)
    guard count > 0 else { return }
    let page = storage.base + start
    do {
      // a write into a private mapping copies the page
      try SystemCall.run { mprotect(page, count, PROT_READ | PROT_WRITE) }
      try SystemCall.run { pread(descriptor, page, count, off_t(start)) }
      try SystemCall.run { mprotect(page, count, PROT_READ) }
    } catch {
      throw .unusable(path, because: "it cannot be read (\(error.text))")
    }
  }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A new file that replaces another one, if that exists.
///
/// It has a temporary name in the same folder, and is removed unless ``takePlace()`` succeeds.
package struct ReplacementFile: ~Copyable {
  private let path: String
  private let temporaryPath: String
  private let descriptor: Int32
  private let folder: Int32

  /// The maximum size of a write: systems do not accept more than 2³¹ bytes.
  private static let greatestCall = 1 << 30

  /// Creates an empty file in the folder of a path.
  package init(for path: String) throws(SnapshotError) {
    guard !SystemCall.hasZeroByte(path) else {
      throw .notWritten(path, because: "its path holds a zero byte")
    }
    let bits = String(UInt64.random(in: .min ... .max), radix: 16)
    let suffix = String(repeating: "0", count: 16 - bits.count) + bits + ".tmp"
    let files = try Self.open(beside: path, suffix: suffix)
    self.path = path
    temporaryPath = path + "." + suffix
    descriptor = files.new
    folder = files.folder
  }

  /// Creates the new file, and opens the folder before the old file is touched.
  private static func open(
    beside path: String,
    suffix: String
  ) throws(SnapshotError) -> (new: Int32, folder: Int32) {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let folder: Int32
    do {
      folder = try SystemCall.descriptor(
        of: Self.folder(of: path),
        O_RDONLY | O_DIRECTORY | O_CLOEXEC
      )
    } catch {
      throw .notWritten(path, because: "its folder cannot be opened (\(error.text))")
    }
    do {
      return (try SystemCall.descriptor(of: path + "." + suffix, flags), folder)
    } catch {
      close(folder)
      throw .notWritten(path, because: "no file can be made in its folder (\(error.text))")
    }
  }

  deinit {
    close(descriptor)
    close(folder)
    // after a rename there is no file with this name
    unlink(temporaryPath)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Appends bytes.
  package func append(_ bytes: [UInt8]) throws(SnapshotError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(SnapshotError) in try append(bytes) }
    }
    try result.get()
  }

  /// Appends bytes, with several system calls if necessary.
  func append(_ bytes: UnsafeRawBufferPointer) throws(SnapshotError) {
    try write(bytes) { start, _, count throws(SystemCall.Failure) in
      try SystemCall.append(descriptor, start, count)
    }
  }

  /// Replaces the first bytes.
  func overwriteStart(_ bytes: [UInt8]) throws(SnapshotError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(SnapshotError) in
        try write(bytes) { start, offset, count throws(SystemCall.Failure) in
          try SystemCall.run { pwrite(descriptor, start, count, off_t(offset)) }
        }
      }
    }
    try result.get()
  }

  /// Makes calls, each with an address, its offset and the number of bytes left, until all are written.
  private func write(
    _ bytes: UnsafeRawBufferPointer,
    _ call: (UnsafeRawPointer, Int, Int) throws(SystemCall.Failure) -> Int
  ) throws(SnapshotError) {
    guard let start = bytes.baseAddress else { return }
    var offset = 0
    do throws(SystemCall.Failure) {
      while offset < bytes.count {
        let count = min(bytes.count - offset, Self.greatestCall)
        let written = try call(start + offset, offset, count)
        // otherwise a call that writes nothing would be repeated forever
        guard written > 0 else { throw SystemCall.Failure(code: EIO) }
        offset += written
      }
    } catch {
      throw .notWritten(path, because: "its bytes cannot be written (\(error.text))")
    }
  }

  /// Maps what was written, to be read only.
  func map(_ byteCount: Int) throws(SnapshotError) -> TreeStorage {
    do {
      return try TreeStorage(file: descriptor, byteCount: byteCount)
    } catch {
      throw .notWritten(path, because: "it cannot be mapped into memory (\(error.text))")
    }
  }

  /// Makes the file durable and renames it to replace the old one.
  package consuming func takePlace() throws(SnapshotError) {
    do {
      try SystemCall.sync(descriptor)
    } catch {
      throw .notWritten(path, because: "its bytes cannot be brought to the disk (\(error.text))")
    }
    do {
      try SystemCall.run { rename(temporaryPath, path) }
    } catch {
      throw .notWritten(path, because: "it cannot take its place (\(error.text))")
    }
    do {
      try SystemCall.sync(folder)
    } catch {
      let reason = "it is in its place, but its name may not outlive a power cut (\(error.text))"
      throw .notWritten(path, because: reason)
    }
  }
}

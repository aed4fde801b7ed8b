#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A new file that is to take the place of another one, or of none.
///
/// Written under a name of its own in the same folder; whoever does not get as far as ``takePlace()``
/// leaves nothing behind.
struct ReplacementFile: ~Copyable {
  private let path: String
  private let temporaryPath: String
  private let descriptor: Int32
  private let folder: Int32

  /// The most bytes of one call: systems take no more than 2³¹.
  private static let greatestCall = 1 << 30

  /// Makes an empty file beside a path.
  init(for path: String) throws(SnapshotError) {
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

  /// Makes the new file, and opens the folder before the old file is touched.
  private static func open(
    beside path: String,
    suffix: String
  ) throws(SnapshotError) -> (new: Int32, folder: Int32) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
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
      throw .notWritten(path, because: "no file can be made beside it (\(error.text))")
    }
  }

  deinit {
    close(descriptor)
    close(folder)
    // after a rename there is nothing of that name
    unlink(temporaryPath)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(SnapshotError) {
    var failure: SystemCall.Failure?
    bytes.withUnsafeBytes { failure = append($0) }
    if let failure { throw unwritable(failure) }
  }

  /// Appends a part of a tree's block.
  func write(_ storage: TreeStorage, _ range: Range<Int>) throws(SnapshotError) {
    if let failure = append(storage.bytes(range)) { throw unwritable(failure) }
  }

  /// Appends bytes, in as many calls as the system takes.
  private func append(_ bytes: UnsafeRawBufferPointer) -> SystemCall.Failure? {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = min(rest.count, Self.greatestCall)
      do throws(SystemCall.Failure) {
        let written = try SystemCall.append(descriptor, start, count)
        // a call that takes nothing would be made forever
        guard written > 0 else { return SystemCall.Failure(code: EIO) }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      } catch {
        return error
      }
    }
    return nil
  }

  private func unwritable(_ failure: SystemCall.Failure) -> SnapshotError {
    .notWritten(path, because: "its bytes cannot be written (\(failure.text))")
  }

  /// Brings the file to the disk and puts it where the old one was.
  consuming func takePlace() throws(SnapshotError) {
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

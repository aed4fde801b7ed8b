#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls of the operating system that a signal may interrupt.
enum SystemCall {
  /// Why a call failed.
  struct Failure: Error {
    let code: Int32

    /// The system's words for it, for example `No space left on device`.
    var text: String { String(cString: strerror(code)) }
  }

  /// Makes a call, again for as long as signals interrupt it.
  ///
  /// - Parameter call: returns a negative number and sets `errno` where it fails.
  /// - Returns: what the call returned, zero or more.
  /// - Throws: what the call failed with.
  @discardableResult
  static func run<Number: SignedInteger>(_ call: () -> Number) throws(Failure) -> Number {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw Failure(code: code) }
    }
  }

  /// Opens a file; one that is made can be read by all and written by its owner.
  static func descriptor(of path: String, _ flags: Int32) throws(Failure) -> Int32 {
    try run { open(path, flags, 0o644) }
  }

  /// Writes bytes where the file's last write ended.
  ///
  /// - Returns: how many of them, which may be fewer than asked for.
  static func append(
    _ file: Int32,
    _ start: UnsafeRawPointer,
    _ count: Int
  ) throws(Failure) -> Int {
    try run { write(file, start, count) }
  }

  /// Brings a file, or the names in a folder, to the disk itself.
  static func sync(_ descriptor: Int32) throws(Failure) {
    #if canImport(Darwin)
    // fsync leaves the data in the drive's cache there; not every file system knows the other way
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    try run { fsync(descriptor) }
  }

  /// Whether a path holds a zero byte, which the system would take for its end.
  static func hasZeroByte(_ path: String) -> Bool { path.utf8.contains(0) }
}

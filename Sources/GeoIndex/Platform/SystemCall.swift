#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// System calls, which signals may interrupt.
enum SystemCall {
  static let coreCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// The bytes of a page of memory.
  static let pageSize = max(1, Int(sysconf(Int32(_SC_PAGESIZE))))

  /// Why a call failed.
  struct Failure: Error {
    let code: Int32

    /// The system's text for it, for example `No space left on device`.
    var text: String { String(cString: strerror(code)) }
  }

  /// Makes a call, and repeats it while signals interrupt it.
  ///
  /// - Parameter call: returns a negative number and sets `errno` if it fails.
  /// - Returns: what the call returned, zero or more.
  /// - Throws: the error of the call.
  @discardableResult
  static func run<Number: SignedInteger>(_ call: () -> Number) throws(Failure) -> Number {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw Failure(code: code) }
    }
  }

  /// Opens a file; a new one gets a mode.
  static func descriptor(
    of path: String,
    _ flags: Int32,
    _ mode: mode_t = 0o644
  ) throws(Failure) -> Int32 {
    try run { open(path, flags, mode) }
  }

  /// Writes a file, or the names in a folder, to the disk itself.
  static func sync(_ descriptor: Int32) throws(Failure) {
    #if canImport(Darwin)
    // fsync leaves the data in the drive's cache; not every file system supports F_FULLFSYNC
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    try run { fsync(descriptor) }
  }

  /// Whether a path contains a zero byte, which the system would take for its end.
  static func hasZeroByte(_ path: String) -> Bool { path.utf8.contains(0) }
}

/// Functions of the C library's mathematics; angles are radians.
enum CMath {
  static func sine(_ angle: Double) -> Double { sin(angle) }
  static func cosine(_ angle: Double) -> Double { cos(angle) }
  static func arcsine(_ sine: Double) -> Double { asin(sine) }
  static func arctangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
  static func cubeRoot(_ number: Double) -> Double { cbrt(number) }
}

/// The monotonic clock in nanoseconds, read as cheaply as the system allows.
enum Stopwatch {
  /// Nanoseconds since a fixed moment.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Runs a block.
  ///
  /// - Returns: Its result and its time in seconds.
  static func time<Result>(_ body: () throws -> Result) rethrows -> (Result, seconds: Double) {
    let start = now
    let result = try body()
    return (result, Double(now - start) / 1e9)
  }
}

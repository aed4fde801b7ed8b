import NIOCore

/// Measures how fast a client reads what is written to it.
struct WriteProgress {
  var task: Scheduled<Void>?
  private var writtenBytes = 0
  private var takenBytes: Int?
  private var slowPeriods = 0

  mutating func wrote(_ count: Int) { writtenBytes += count }

  /// Starts again, because nothing is waiting.
  mutating func restart() {
    takenBytes = nil
    slowPeriods = 0
  }

  /// The number of bytes handed to the system.
  func handedOver(waiting: Int) -> Int { writtenBytes - waiting }

  /// Whether a client has read less than it must in two periods.
  ///
  /// One period alone says little, because the client's system acknowledges in large steps.
  mutating func isTooSlow(taken: Int) -> Bool {
    let isSlow = taken - (takenBytes ?? 0) < ServiceLimits.writeProgressBytes
    takenBytes = taken
    slowPeriods = isSlow ? slowPeriods + 1 : 0
    return slowPeriods > 1
  }
}

#if os(Linux)
/// The beginning of Linux's `struct tcp_info` (linux/tcp.h), whose 16th word of 64 bits is
/// `tcpi_bytes_acked`.
struct TCPInfo {
  private let state: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  private let times: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  let bytesAcknowledged: UInt64
}
#endif

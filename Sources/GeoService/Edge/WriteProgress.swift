import NIOCore

/// How fast a reader takes what was written for it.
struct WriteProgress {
  var task: Scheduled<Void>?
  private var writtenBytes = 0
  private var takenBytes: Int?
  private var slowPeriods = 0

  mutating func wrote(_ count: Int) { writtenBytes += count }

  /// Nothing waits any more.
  mutating func restart() {
    takenBytes = nil
    slowPeriods = 0
  }

  /// What was handed to the system.
  func handedOver(waiting: Int) -> Int { writtenBytes - waiting }

  /// Whether less was taken in two periods than a reader has to take; one alone says little, for a
  /// reader's system acknowledges in large steps.
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

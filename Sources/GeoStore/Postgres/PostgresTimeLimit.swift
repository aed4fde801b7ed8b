import Foundation

/// The time that a server may take for some statements, and then a second to obey a cancel request.
///
/// `statement_timeout` does not cover a commit's wait for a standby.
final class PostgresTimeLimit {
  /// The limit.
  let seconds: Int

  /// Whether time ran out and a cancel was requested.
  private(set) var isOver = false

  private var end: ContinuousClock.Instant

  init(seconds: Int) {
    self.seconds = seconds
    end = .now + .seconds(seconds)
  }

  /// Waits until a server has sent something.
  ///
  /// - Parameters:
  ///   - socket: The connection's.
  ///   - cancel: Asks the server to stop; called once, when the time is over.
  /// - Returns: False if it does not react to that within a second.
  func wait(for socket: Int32, toCancel cancel: () -> Void) -> Bool {
    while true {
      let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
      if rest <= 0 {
        if isOver { return false }
        isOver = true
        end = .now + .seconds(1)
        cancel()
        continue
      }
      var one = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if poll(&one, 1, Int32(rest.rounded(.up))) > 0 { return true }
    }
  }
}

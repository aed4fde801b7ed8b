import Foundation
import GeoStore

/// Ends an import that SIGINT or SIGTERM interrupts: its temporary files go, and it says what became of
/// the database.
///
/// The handler only wakes a thread, which may do what a handler must not. A signal that is ignored stays
/// ignored; one that comes when the import is about to become final is too late.
final class ImportInterrupt {
  private let gate = NSLock()
  private var handlers: [Int32] = []

  /// - Parameters:
  ///   - feed: What messages call the feed.
  ///   - database: The database.
  init(feed: String, database: String) {
    guard pipe(&wakeUp) == 0 else { return }
    for number in [SIGINT, SIGTERM] {
      let before = signal(number, wake)
      if before.map({ unsafeBitCast($0, to: Int.self) }) == Self.ignored {
        signal(number, SIG_IGN)
      } else {
        handlers.append(number)
      }
    }
    let (gate, reading) = (gate, wakeUp[0])
    let thread = Thread {
      var number: UInt8 = 0
      while read(reading, &number, 1) < 0, errno == EINTR {}
      guard number > 0 else { return }
      // held for ever: the import waits at its gate until the process is gone
      gate.lock()
      TemporaryCleanup.unlinkAll()
      RestaurantStore.removeTemporaries(ofImportInto: database)
      let lineEnd = Terminal.isTTY(STDERR_FILENO) ? "\n" : ""
      StandardStreams.complain(
        "\(lineEnd)Error: \(terminalSafe(feed)): interrupted; nothing of it was imported"
      )
      signal(Int32(number), SIG_DFL)
      kill(getpid(), Int32(number))
    }
    thread.start()
  }

  /// From now on the import is final.
  func close() {
    gate.lock()
    for number in handlers { signal(number, SIG_IGN) }
    gate.unlock()
  }

  /// Ends the watch; the signals do what they did.
  func end() {
    close()
    for number in handlers { signal(number, SIG_DFL) }
    var none: UInt8 = 0
    write(wakeUp[1], &none, 1)
  }

  private static let ignored = 1
}

/// The pipe that wakes the thread: reading and writing end.
nonisolated(unsafe) private var wakeUp: [Int32] = [-1, -1]

/// The handler: an async-signal-safe call only.
private func wake(_ number: Int32) {
  var number = UInt8(truncatingIfNeeded: number)
  write(wakeUp[1], &number, 1)
}

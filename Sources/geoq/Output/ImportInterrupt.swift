import Foundation
import GeoStore

/// Ends an import when SIGINT or SIGTERM arrives: removes its temporary files, and reports the
/// state of the database.
///
/// The handler only wakes a thread, which may do what a signal handler must not. An ignored signal
/// stays ignored; one that arrives when the import is becoming final has no effect.
final class ImportInterrupt {
  private let gate = NSLock()
  private var handlers: [Int32] = []

  /// - Parameters:
  ///   - feed: The name of the feed in messages.
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
      // held until the end: the import waits at its gate until the process ends
      gate.lock()
      TemporaryCleanup.unlinkAll()
      GDALChild.endAll()
      RestaurantStore.removeTemporaries(ofImportInto: database)
      let lineEnd = Terminal.isTTY(STDERR_FILENO) ? "\n" : ""
      StandardStreams.complain(
        "\(lineEnd)Error: \(terminalSafe(feed)): interrupted; nothing was imported"
      )
      signal(Int32(number), SIG_DFL)
      kill(getpid(), Int32(number))
    }
    thread.start()
  }

  /// Called when the import becomes final.
  func close() {
    gate.lock()
    for number in handlers { signal(number, SIG_IGN) }
    gate.unlock()
  }

  /// Restores the signals' previous actions.
  func end() {
    close()
    for number in handlers { signal(number, SIG_DFL) }
    var none: UInt8 = 0
    write(wakeUp[1], &none, 1)
  }

  private static let ignored = 1
}

/// The pipe that wakes the thread: its read and write ends.
nonisolated(unsafe) private var wakeUp: [Int32] = [-1, -1]

/// The signal handler: calls async-signal-safe functions only.
private func wake(_ number: Int32) {
  var number = UInt8(truncatingIfNeeded: number)
  write(wakeUp[1], &number, 1)
}

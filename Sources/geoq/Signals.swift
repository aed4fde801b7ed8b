import Foundation
import GeoIndex
import GeoStore

/// Handles the case that another program truncates or changes a file that this process has mapped, or
/// that its disk fails.
///
/// The system then sends SIGBUS or SIGSEGV, and the process cannot continue: it prints the reason and
/// ends. Faults elsewhere stay what they are.
enum ChangedFile {
  /// Makes the process end with a sentence instead of a core dump.
  static func endWithSentence() {
    // the first use of a global takes locks, which a signal handler must not
    _ = MappedRanges.contain(0)
    for number in [SIGBUS, SIGSEGV] {
      var action = sigaction()
      #if canImport(Glibc)
      action.__sigaction_handler.sa_sigaction = handleFault
      #else
      action.__sigaction_u.__sa_sigaction = handleFault
      #endif
      action.sa_flags = numericCast(SA_SIGINFO) | numericCast(SA_ONSTACK)
      sigemptyset(&action.sa_mask)
      sigaction(number, &action, number == SIGBUS ? busBefore : segvBefore)
    }
  }
}

/// The actions before, those of Swift's backtraces for example.
nonisolated(unsafe) private let busBefore = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
nonisolated(unsafe) private let segvBefore = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)

/// The signal handler: calls async-signal-safe functions only.
private func handleFault(
  _ number: Int32,
  _ info: UnsafeMutablePointer<siginfo_t>?,
  _: UnsafeMutableRawPointer?
) {
  // without a positive code the signal was sent by a process, and has no address
  let isFault = (info?.pointee.si_code ?? 0) > 0
  if isFault, let address = info?.pointee.faultAddress, MappedRanges.contain(address) {
    let text: StaticString =
      "Error: another program changed a file that is in use, or its disk failed; start again\n"
    _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    _exit(74)
  }
  // the fault occurs again when the handler returns
  sigaction(number, number == SIGBUS ? busBefore : segvBefore, nil)
  if !isFault { raise(number) }
}

extension siginfo_t {
  fileprivate var faultAddress: UInt {
    #if canImport(Glibc)
    UInt(bitPattern: _sifields._sigfault.si_addr)
    #else
    UInt(bitPattern: si_addr)
    #endif
  }
}

/// Ends an import when SIGINT or SIGTERM arrives: removes its temporary files, and reports the
/// state of the database.
///
/// The handler only wakes a thread, which may do what a signal handler must not. An ignored signal
/// stays ignored; one that arrives when the import is becoming final has no effect.
final class ImportInterrupt {
  private let gate = NSLock()
  private var handlers: [Int32] = []

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
      unlinkTemporaries()
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

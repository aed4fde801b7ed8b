import GeoIndex

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

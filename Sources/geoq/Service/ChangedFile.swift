#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Handles the case that another program truncates a file that this process has mapped.
///
/// The system then sends SIGBUS, and the process cannot continue: it prints the reason and ends.
enum ChangedFile {
  /// Makes the process end with a sentence instead of a core dump.
  static func endWithSentence() {
    signal(SIGBUS) { _ in
      // only functions that a signal handler may call
      let text: StaticString =
        "Error: another program truncated a file that is being served; start again\n"
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(74)
    }
  }
}

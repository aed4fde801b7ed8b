#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What happens if another program cuts a file short that this process has mapped.
///
/// The system then sends SIGBUS, and there is nothing to go back to: the process says why, and ends.
enum ChangedFile {
  /// Has the process end with a sentence instead of a core dump.
  static func endWithSentence() {
    signal(SIGBUS) { _ in
      // only what a signal handler may do
      let text: StaticString =
        "Error: another program has cut short a file that is being served; start again\n"
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(74)
    }
  }
}

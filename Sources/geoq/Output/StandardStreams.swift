#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Standard output for data, standard error for everything else.
enum StandardStreams {
  /// Whether standard output is a terminal.
  static var isOutputTerminal: Bool { Terminal.isTTY(STDOUT_FILENO) }

  /// Writes JSON to standard output; on a terminal, control characters are escaped.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func printJSON(_ text: String) throws {
    try print(Terminal.isTTY(STDOUT_FILENO) ? terminalSafeJSON(text) : text)
  }

  /// Writes text to standard output.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func print(_ text: String) throws { try print(Array(text.utf8)) }

  /// Writes bytes to standard output.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func print(_ bytes: [UInt8]) throws {
    let writer = OutputWriter(descriptor: STDOUT_FILENO, path: "standard output")
    try writer.write(bytes)
    try writer.flush()
  }

  /// Writes a line to standard error; a failure is ignored, because it cannot be reported.
  static func complain(_ line: String) {
    let writer = OutputWriter(descriptor: STDERR_FILENO, path: "standard error")
    try? writer.write(line + "\n")
    try? writer.flush()
  }
}

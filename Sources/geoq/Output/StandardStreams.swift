/// Standard output for data, standard error for everything else.
enum StandardStreams {
  /// Whether standard output is a terminal.
  static var isOutputTerminal: Bool { Terminal.isTTY(CommandContext.current.output) }

  /// Writes JSON to standard output; on a terminal, control characters are escaped.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func printJSON(_ text: String) throws {
    try print(isOutputTerminal ? terminalSafeJSON(text) : text)
  }

  /// Writes text to standard output.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func print(_ text: String) throws { try print(Array(text.utf8)) }

  /// Writes bytes to standard output.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func print(_ bytes: [UInt8]) throws {
    let writer = OutputWriter(descriptor: CommandContext.current.output, path: "standard output")
    try writer.write(bytes)
    try writer.flush()
  }

  /// Writes a line to standard error; a failure is ignored, because it cannot be reported.
  static func complain(_ line: String) {
    let writer = OutputWriter(descriptor: CommandContext.current.error, path: "standard error")
    try? writer.write(line + "\n")
    try? writer.flush()
  }
}

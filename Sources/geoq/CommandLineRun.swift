import ArgumentParser

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One run of the tool: parses, runs, and turns every error into one sentence and an exit code.
struct CommandLineRun {
  private let arguments: [String]

  init(_ arguments: [String]) {
    self.arguments = CommonGuesses.expanded(JSONOption.expanded(arguments))
  }

  /// Runs and returns the exit code.
  func run() async -> Int32 {
    do {
      if let topic = try HelpTopic(arguments) {
        try StandardStreams.print(topic.text)
        return 0
      }
      try checkCommandName()
      var command = try await Geoq.asyncParseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      return 0
    } catch {
      return report(error)
    }
  }

  private func report(_ error: any Error) -> Int32 {
    if let failure = CommandFailure(error) {
      if !failure.message.isEmpty { StandardStreams.complain("Error: \(failure.message)") }
      return failure.exitCode
    }
    // the rest is ArgumentParser's own: help and version on standard output, usage errors
    let code = Geoq.exitCode(for: error).rawValue
    let message = Geoq.fullMessage(for: error)
      .replacing(JSONOption.fieldsOption, with: "--json=FIELDS")
    if code != 0, let advice = CommonGuesses.advice(onMessage: message) {
      StandardStreams.complain("Error: " + terminalSafe(advice))
    } else if code == 0 {
      try? StandardStreams.print(message + "\n")
    } else {
      StandardStreams.complain(message)
    }
    return code
  }

  /// Checks the command's name, because ArgumentParser only suggests options, and blames the first
  /// option of a misspelled command.
  private func checkCommandName() throws {
    let words = firstWords
    // shells request completions with special words
    if arguments.first?.hasPrefix("---completion") == true { return }
    guard let name = words.first else { return }
    try check(name, among: Self.commandNames, "unknown command", "geoq --help")
    let parts = Self.commands.first { Self.names(of: $0).contains(name) }?.configuration.subcommands
    guard let parts, !parts.isEmpty, words.count > 1 else { return }
    let names = parts.flatMap(Self.names)
    try check(words[1], among: names, "\(name) has no command", "geoq \(name) --help")
  }

  private func check(
    _ name: String,
    among names: [String],
    _ problem: String,
    _ help: String
  ) throws {
    if names.contains(name) { return }
    let guess = names == Self.commandNames ? CommonGuesses.advice(onCommand: name) : nil
    let hint = guess ?? closest(to: name, among: names).map { "did you mean \"\($0)\"?" }
    throw ValidationError(
      "\(problem) \"\(terminalSafe(name))\"; \(hint ?? "\(help) lists the commands")"
    )
  }

  /// The first two words that are not options.
  private var firstWords: [String] {
    var words: [String] = []
    var position = 0
    while position < arguments.count, words.count < 2 {
      let word = arguments[position]
      if !word.hasPrefix("-") { words.append(word) }
      position += ["--db", "--cache", "--color"].contains(word) ? 2 : 1
    }
    return words
  }

  static let commandNames = commands.flatMap(names) + ["help"]

  private static let commands = Geoq.configuration.groupedSubcommands.flatMap(\.subcommands)

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command.configuration.commandName].compactMap(\.self) + command.configuration.aliases
  }
}

/// Ignores the signals for a closed pipe and a file-size limit, which become errors of `write`.
func ignoreDeadlySignals() {
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
}

/// Ends the process.
func exitProcess(_ status: Int32) -> Never {
  exit(status)
}

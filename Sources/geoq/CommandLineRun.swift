import ArgumentParser
import GeoQuery

/// One run of the tool: parses, runs, and turns every error into one sentence and an exit code.
@main
struct CommandLineRun {
  private var arguments: [String]

  /// The options that environment variables set.
  private var variables: [(option: String, variable: String)] = []

  /// Runs the process's command line, and ends it with the exit code.
  static func main() async {
    // a closed pipe and a file-size limit become errors of `write`
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    ChangedFile.endWithSentence()
    var run = CommandLineRun(Array(CommandLine.arguments.dropFirst()))
    exit(await run.run())
  }

  init(_ arguments: [String]) {
    self.arguments = OptionSuggestions.expanded(JSONOption.expanded(arguments))
  }

  /// Runs and returns the exit code.
  mutating func run() async -> Int32 {
    do {
      if var waiting = try start() { try await waiting.run() }
      return 0
    } catch {
      return report(error)
    }
  }

  /// Runs the command, or returns it if it has to be awaited.
  mutating func start() throws -> (any AsyncParsableCommand)? {
    if let topic = try HelpTopic(arguments) {
      try StandardStreams.print(topic.text)
      return nil
    }
    try checkCommandName()
    if firstWords.first == ServeCommand.configuration.commandName {
      (arguments, variables) = try ServeEnvironment.expanded(arguments)
    }
    var command = try Geoq.parseAsRoot(arguments)
    if let waiting = command as? any AsyncParsableCommand { return waiting }
    try command.run()
    return nil
  }

  /// Prints an error, and returns its exit code.
  func report(_ error: any Error) -> Int32 {
    if let failure = CommandFailure(error) {
      let message = ServeEnvironment.renamed(failure.message, variables)
      if !message.isEmpty { StandardStreams.complain("Error: \(message)") }
      return failure.exitCode
    }
    // the rest is ArgumentParser's own: help and version on standard output, usage errors
    let code = Geoq.exitCode(for: error).rawValue
    let columns = CommandContext.current.environment.map {
      Terminal.width(window: nil, environment: $0)
    }
    let full = Geoq.fullMessage(for: error, columns: columns)
      .replacing(JSONOption.fieldsOption, with: "--json=FIELDS")
    let message = code == 0 ? full : ServeEnvironment.renamed(full, variables)
    if code != 0, let advice = OptionSuggestions.advice(onMessage: message) {
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
    let guess = names == Self.commandNames ? OptionSuggestions.advice(onCommand: name) : nil
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

/// The descriptors and the environment that a command uses: those of the process, unless a task sets
/// others, as tests do to run commands side by side in one process.
struct CommandContext: Sendable {
  @TaskLocal static var current = CommandContext()

  var input = STDIN_FILENO
  var output = STDOUT_FILENO
  var error = STDERR_FILENO
  /// `nil` for the environment of the process.
  var environment: [String: String]?

  /// Whether the command is the process's only one, and may handle its signals.
  var ownsProcess: Bool { environment == nil }

  /// The value of an environment variable.
  static func variable(_ name: String) -> String? {
    if let environment = current.environment { return environment[name] }
    return getenv(name).map { String(cString: $0) }
  }
}

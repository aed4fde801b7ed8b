import ArgumentParser
import GeoFeed
import GeoQuery
import GeoStore

/// One run of the tool: parses, runs, and turns every error into one sentence and an exit code.
@main
struct CommandLineRun {
  private var arguments: [String]

  /// The options that environment variables set.
  private var variables: [(option: String, variable: String)] = []

  /// Runs the process's command line, and ends it with the exit code.
  static func main() async {
    InstructionSet.check()
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
    var context = CommandContext.current
    context.unit = try DistanceUnit.chosen(arguments)
    try CommandContext.$current.withValue(context) { try command.run() }
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
    let columns = CommandContext.current.ownsProcess ? nil : Terminal.width(window: nil)
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
    let meant = names == Self.commandNames ? OptionSuggestions.advice(onCommand: name) : nil
    let hint = meant ?? guess(at: name, among: names, else: "\(help) lists the commands")
    throw ValidationError("\(problem) \"\(terminalSafe(name))\"; \(hint)")
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
  /// The unit of distances for people; nil for meters and kilometers, by size.
  var unit: DistanceUnit?

  /// Whether the command is the process's only one, and may handle its signals.
  var ownsProcess: Bool { environment == nil }

  /// The value of an environment variable.
  static func variable(_ name: String) -> String? {
    if let environment = current.environment { return environment[name] }
    return getenv(name).map { String(cString: $0) }
  }
}

/// A failure as a sentence and an exit code (sysexits.h); all errors get their exit codes here.
struct CommandFailure: Error {
  /// What, where, what to do; empty to print nothing.
  let message: String

  let exitCode: Int32

  init(message: String, exitCode: Int32) {
    (self.message, self.exitCode) = (message, exitCode)
  }

  /// An exit code, which makes the failures that end with it: `throw CommandFailure.usage("--db: …")`.
  struct Code {
    let number: Int32

    func callAsFunction(_ message: String = "") -> CommandFailure {
      CommandFailure(message: message, exitCode: number)
    }

    /// A failure whose message begins with the file or the address that it is about.
    func callAsFunction(_ subject: String, _ problem: String) -> CommandFailure {
      self("\(terminalSafe(subject)): \(problem)")
    }
  }

  /// Any other failure.
  static let other = Code(number: 1)
  /// Nothing was found, with `-e`.
  static let nothingFound = Code(number: 4)
  /// Usage error.
  static let usage = Code(number: 64)
  /// Bad data in a feed or in batch input; a database that is damaged, not geoq's, or newer.
  static let badData = Code(number: 65)
  /// An input file is missing.
  static let noInput = Code(number: 66)
  /// A database cannot be opened, or a URL cannot be fetched.
  static let unavailable = Code(number: 69)
  /// Reading or writing failed, for example because the disk is full.
  static let inputOutput = Code(number: 74)
  /// Another process holds the lock.
  static let busy = Code(number: 75)
  static let permission = Code(number: 77)

  /// Maps an error; nil for those of ArgumentParser, which maps its own.
  init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as FeedError: self = Self.badData(terminalSafe(error.description))
    case let error as StoreError:
      let message = terminalSafe(error.description + Self.advice(on: error))
      self = Self.code(of: error.kind)(message)
    case let error as QueryError: self = Self.usage("--\(terminalSafe(error.description))")
    case let error as UnknownRestaurant:
      self.init(no: "restaurant", withIDs: [error.id], adviceOnID(similar: error.similar))
    case let error as UnknownArea:
      self = Self.other(terminalSafe(error.description) + AreaArgument.advice(on: error))
    case let error as OutputError:
      let message = error == .closed ? "" : error.description
      self.init(message: message, exitCode: error.exitCode)
    case let error as TileFileError:
      self = (error.isMissing ? Self.noInput : Self.badData)(
        "--tiles",
        terminalSafe(error.description)
      )
    case is ExitCode, is ValidationError, is CleanExit: return nil
    default:
      guard Geoq.exitCode(for: error) == .failure else { return nil }
      self = Self.other(terminalSafe("\(error)"))
    }
  }

  /// The failure for one or more ids that no restaurant has, or only hidden ones; the first is named, with
  /// ids `similar` to it.
  ///
  /// - Throws: `StoreError` if the store cannot be read.
  init(
    unknownIDs ids: [String],
    in store: any Store,
    similar: [String],
    foundNothing: Bool
  ) throws {
    let first = ids[0]
    let corrections = try store.corrections(of: [first])
    let code = foundNothing ? Self.nothingFound : Self.other
    if let time = corrections.lazy.compactMap(\.hiddenSince).first {
      self = code(
        "\(terminalSafe(first)) is hidden since \(terminalSafe(time)); geoq edit ID --undo shows it again"
      )
    } else {
      self.init(no: "restaurant", withIDs: ids, adviceOnID(similar: similar), code)
    }
  }

  /// The failure for ids, one or more, that nothing of a kind has; the first is named.
  init(
    no noun: String,
    withIDs ids: [String],
    _ advice: String,
    _ code: Code = CommandFailure.other
  ) {
    let others = ids.count > 1 ? " (and \(ids.count - 1) more)" : ""
    self = code("no \(noun) has the id \"\(terminalSafe(ids[0]))\"\(others); \(advice)")
  }

  /// What to do about an error of the store, with the names of options.
  private static func advice(on error: StoreError) -> String {
    switch error.kind {
    case .shrinks: "; use --allow-shrink to import it anyway"
    case .replaces:
      "; if it is another feed, give it its own --source NAME; "
        + "to replace the restaurants of the source, use --allow-replace"
    case .duplicates:
      "; to refresh that source, use --source '\(error.source ?? "")'; "
        + "to have both, use --allow-duplicates"
    case .moves: "; use --allow-moved to import it anyway"
    case .empties: "; use --allow-loss to import it anyway"
    default: ""
    }
  }

  private static func code(of kind: StoreError.Kind) -> Code {
    switch kind {
    case .unavailable: unavailable
    case .foreign, .newer, .corrupt, .shrinks, .replaces, .duplicates, .moves, .empties:
      badData
    case .source, .correction, .area: other
    case .busy: busy
    case .permission: permission
    case .inputOutput: inputOutput
    }
  }
}

/// What to do about a name that is not a known one: the one that was probably meant, otherwise some advice.
func guess(at name: String, among known: [String], else advice: String) -> String {
  closest(to: name, among: known).map { "did you mean \"\(terminalSafe($0))\"?" } ?? advice
}

/// What to do about an id that no restaurant has.
func adviceOnID(similar ids: [String]) -> String {
  guard !ids.isEmpty else { return "geoq search NAME -f ids finds ids" }
  return "did you mean \(ids.map { "\"\(terminalSafe($0))\"" }.joined(separator: ", "))?"
}

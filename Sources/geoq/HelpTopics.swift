import ArgumentParser
import CAssets
import GeoQuery

/// `geoq help TOPIC`: pages about more than one command, the files of the folder `help`.
enum HelpTopic: String, CaseIterable {
  case formats
  case filters
  case coordinates
  case environment
  case exitCodes = "exit-codes"

  /// The topic that a command line asks for; `nil` if it asks for no topic.
  ///
  /// - Throws: `ValidationError` for a word that is neither a topic nor a command.
  init?(_ arguments: [String]) throws {
    guard arguments.count >= 2, arguments[0] == "help", !arguments[1].hasPrefix("-") else {
      return nil
    }
    if let topic = HelpTopic(rawValue: arguments[1]) {
      self = topic
      return
    }
    let names = CommandLineRun.commandNames
    if names.contains(arguments[1]) { return nil }
    let topics = Self.allCases.map(\.rawValue)
    let list = "topics are \(topics.joined(separator: ", "))"
    let hint = guess(at: arguments[1], among: names + topics, else: list)
    throw ValidationError("no help on \"\(terminalSafe(arguments[1]))\"; \(hint)")
  }

  var text: String {
    let page =
      switch self {
      case .formats: geoq_help_formats()
      case .filters: geoq_help_filters()
      case .coordinates: geoq_help_coordinates()
      case .environment: geoq_help_environment()
      case .exitCodes: geoq_help_exit_codes()
      }
    let bytes = UnsafeBufferPointer(start: page.bytes, count: page.length)
    return String(decoding: bytes, as: UTF8.self)
      .replacing("@VARIABLES@", with: Self.serveVariables)
  }

  /// The variables in lines, from the list.
  private static var serveVariables: String {
    var lines = [""]
    for (name, _) in ServeEnvironment.options {
      let variable = ServeEnvironment.variable(name)
      if lines[lines.count - 1].count + variable.count > 90 { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "  " : " ") + variable
    }
    return lines.joined(separator: "\n")
  }
}

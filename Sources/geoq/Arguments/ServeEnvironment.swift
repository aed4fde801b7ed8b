import ArgumentParser
import GeoQuery

/// The options of `serve` as environment variables: `GEOQ_` and the option's name in capitals, with
/// `_` for `-`.
///
/// They become arguments, so that one parser checks both. An option on the command line comes first, and
/// an empty variable counts as none.
enum ServeEnvironment {
  /// How a variable is read.
  enum Kind {
    /// The value itself.
    case value
    /// 1 or 0.
    case flag
    /// Values with commas between them, each of which has some parts with commas between them.
    case list(parts: Int)
  }

  /// The long names, but for `db`, which all commands have, in the order of the help.
  static let options: [(name: String, kind: Kind)] = [
    ("host", .value), ("port", .value), ("unix-socket", .value), ("open", .flag), ("get", .value),
    ("allow-host", .list(parts: 1)), ("cors", .list(parts: 1)),
    ("frame-ancestors", .list(parts: 1)), ("behind-proxy", .flag), ("token-file", .value),
    // NAME=LAT,LON
    ("place", .list(parts: 2)), ("basemap", .value), ("basemap-attribution", .value),
    ("tiles", .value), ("web-home", .value), ("max-staleness", .value), ("images", .value),
    ("images-max", .value), ("image-dir", .value), ("cache", .value), ("quiet", .flag),
    ("verbose", .flag), ("color", .value),
  ]

  /// The variable of an option.
  static func variable(_ name: String) -> String {
    "GEOQ_" + name.uppercased().replacing("-", with: "_")
  }

  /// Arguments with those of the variables, and which options these set.
  ///
  /// - Throws: `ValidationError` if a flag's variable is neither 1 nor 0.
  static func expanded(
    _ arguments: [String]
  ) throws -> (arguments: [String], variables: [(option: String, variable: String)]) {
    var added: [String] = []
    var variables: [(option: String, variable: String)] = []
    let own = arguments.prefix { $0 != "--" }
    for (name, kind) in options {
      let option = "--" + name
      let short = ["quiet": "-q", "verbose": "-v"][name]
      if own.contains(where: { $0 == option || $0 == short || $0.hasPrefix(option + "=") }) {
        continue
      }
      guard let (variable, value) = value(of: name) else { continue }
      switch kind {
      case .value: added.append("\(option)=\(value)")
      case .flag:
        guard ["0", "1"].contains(value) else {
          throw ValidationError("\(variable): expected 1 or 0, got \"\(terminalSafe(value))\"")
        }
        if value == "1" { added.append(option) }
      case .list(let parts):
        let pieces = value.split(separator: ",", omittingEmptySubsequences: false)
        for start in stride(from: 0, to: pieces.count, by: parts) {
          let entry = pieces[start..<min(start + parts, pieces.count)].joined(separator: ",")
          added.append("\(option)=\(entry.trimmingBlanks)")
        }
      }
      variables.append((option, variable))
    }
    return (own + added + arguments.dropFirst(own.count), variables)
  }

  /// The value of an option's variable; `PORT`, which many hosts of services set, stands in for
  /// `GEOQ_PORT`.
  private static func value(of name: String) -> (variable: String, value: String)? {
    let names = [variable(name)] + (name == "port" ? ["PORT"] : [])
    for name in names {
      if let value = CommandContext.variable(name), !value.isEmpty { return (name, value) }
    }
    return nil
  }

  /// A message with the names of variables instead of the options that they set.
  static func renamed(
    _ message: String,
    _ variables: [(option: String, variable: String)]
  ) -> String {
    variables.reduce(message) { message, pair in
      let parts = message.parts(between: pair.option)
      return parts.dropFirst().reduce(parts[0]) { text, rest in
        // the start of a longer option
        let isOther = rest.utf8.first.map { (0x61...0x7A).contains($0) || $0 == 0x2D } ?? false
        return text + (isOther ? pair.option : pair.variable) + rest
      }
    }
  }
}

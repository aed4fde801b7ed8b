/// The properties of an output stream, read once at the start of a command.
///
/// They are per stream: standard output decides about tables and color.
struct Terminal {
  /// Whether the stream is a terminal.
  let isTTY: Bool
  /// The width of the window in columns; 80 if unknown.
  let width: Int
  /// Bold and dim text, or plain if color is off.
  let style: Style

  /// Reads the properties of the stream and the environment.
  ///
  /// - Parameters:
  ///   - descriptor: Standard output or standard error.
  ///   - color: The value of `--color`.
  init(descriptor: Int32, color: ColorChoice) {
    let environment = Self.environment
    isTTY = Self.isTTY(descriptor)
    width = Self.width(window: Self.windowColumns(descriptor), environment: environment)
    style = Style(isOn: color.isOn(environment: environment, isTTY: isTTY))
  }

  /// Whether a descriptor is a terminal.
  static func isTTY(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// The columns of a table: a pipe has no width except that of `COLUMNS`.
  var tableWidth: Int {
    isTTY || Self.environment["COLUMNS"] != nil ? width : .max
  }

  /// The window's columns, otherwise `COLUMNS`, otherwise 80.
  static func width(window: Int?, environment: [String: String]) -> Int {
    if let window, window > 0 { return window }
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    return 80
  }

  private static func windowColumns(_ descriptor: Int32) -> Int? {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
    return Int(window.ws_col)
  }

  /// The variables that these rules and `ColorChoice` read, without Foundation's `ProcessInfo`.
  private static var environment: [String: String] {
    var variables: [String: String] = [:]
    for name in ["CLICOLOR_FORCE", "COLUMNS", "NO_COLOR", "TERM"] {
      variables[name] = CommandContext.variable(name)
    }
    return variables
  }
}

/// The value of `--color`.
enum ColorChoice: String, CaseIterable, Sendable {
  /// Color on a terminal that supports it.
  case auto
  /// Color, even into a pipe.
  case always
  /// No color.
  case never

  /// Whether to use color on a stream: decided by the flag, `NO_COLOR`, `CLICOLOR_FORCE` and the
  /// terminal, in this order.
  ///
  /// An empty variable counts as absent (no-color.org), and so does `CLICOLOR_FORCE=0`.
  func isOn(environment: [String: String], isTTY: Bool) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if environment["NO_COLOR", default: ""] != "" { return false }
    if !["", "0"].contains(environment["CLICOLOR_FORCE", default: ""]) { return true }
    return isTTY && environment["TERM"] != "dumb"
  }
}

/// Bold and dim text (ECMA-48 SGR); plain if color is off.
struct Style: Sendable {
  /// Whether to emit escape sequences.
  let isOn: Bool

  /// The text in bold.
  func bold(_ text: String) -> String { wrap(text, "1") }

  /// The text in a dimmer shade.
  func dim(_ text: String) -> String { wrap(text, "2") }

  private func wrap(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

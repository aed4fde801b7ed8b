#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What geoq needs to know of an output stream, asked once at the start of a command.
///
/// Facts are per stream: standard output decides the table and its colour.
struct Terminal {
  /// Whether the stream is a terminal.
  let isTTY: Bool
  /// The columns of the window; 80 where nothing tells.
  let width: Int
  /// Bold and dim, or nothing where colour is off.
  let style: Style

  /// Asks the stream and the environment.
  ///
  /// - Parameters:
  ///   - descriptor: `STDOUT_FILENO` or `STDERR_FILENO`.
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

  /// The columns of a table: a pipe has no width but the one that `COLUMNS` asks for.
  var tableWidth: Int {
    isTTY || Self.environment["COLUMNS"] != nil ? width : .max
  }

  /// The window's columns, else `COLUMNS`, else 80.
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

  /// The variables that the rules above and `ColorChoice` read, without Foundation's `ProcessInfo`.
  private static var environment: [String: String] {
    var variables: [String: String] = [:]
    for name in ["CLICOLOR_FORCE", "COLUMNS", "NO_COLOR", "TERM"] {
      variables[name] = getenv(name).map { String(cString: $0) }
    }
    return variables
  }
}

/// The value of `--color`.
enum ColorChoice: String, CaseIterable, Sendable {
  /// Colour on a terminal that has it.
  case auto
  /// Colour, even into a pipe.
  case always
  /// No colour.
  case never

  /// Whether to colour a stream: flag, then `NO_COLOR`, then `CLICOLOR_FORCE`, then the terminal.
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

/// Bold and dim text (ECMA-48 SGR), plain where colour is off.
struct Style: Sendable {
  /// Whether to emit escape sequences.
  let isOn: Bool

  /// The text in bold.
  func bold(_ text: String) -> String { wrap(text, "1") }

  /// The text in a fainter shade.
  func dim(_ text: String) -> String { wrap(text, "2") }

  private func wrap(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

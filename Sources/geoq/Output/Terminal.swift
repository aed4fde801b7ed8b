import Foundation
import GeoQuery
import GeoStore

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
  init(descriptor: Int32, color: ColorChoice) {
    isTTY = Self.isTTY(descriptor)
    width = Self.width(window: Self.windowColumns(descriptor))
    style = Style(isOn: color.isOn(isTTY: isTTY))
  }

  static func isTTY(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// The columns of a table: a pipe has no width except that of `COLUMNS`.
  var tableWidth: Int {
    isTTY || CommandContext.variable("COLUMNS") != nil ? width : .max
  }

  /// The window's columns, otherwise `COLUMNS`, otherwise 80.
  static func width(
    window: Int?,
    _ variable: (String) -> String? = CommandContext.variable
  ) -> Int {
    if let window, window > 0 { return window }
    if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    return 80
  }

  private static func windowColumns(_ descriptor: Int32) -> Int? {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
    return Int(window.ws_col)
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
  func isOn(isTTY: Bool, _ variable: (String) -> String? = CommandContext.variable) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if !(variable("NO_COLOR") ?? "").isEmpty { return false }
    if !["", "0"].contains(variable("CLICOLOR_FORCE") ?? "") { return true }
    return isTTY && variable("TERM") != "dumb"
  }
}

/// Bold and dim text (ECMA-48 SGR); plain if color is off.
struct Style: Sendable {
  /// Whether to emit escape sequences.
  let isOn: Bool

  func bold(_ text: String) -> String { wrap(text, "1") }

  /// The text in a dimmer shade.
  func dim(_ text: String) -> String { wrap(text, "2") }

  private func wrap(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// Standard output for data, standard error for everything else.
///
/// Printing throws `OutputError.closed` if the reader of standard output is gone.
enum StandardStreams {
  /// Whether standard output is a terminal.
  static var isOutputTerminal: Bool { Terminal.isTTY(CommandContext.current.output) }

  /// Writes JSON to standard output; on a terminal, control characters are escaped.
  static func printJSON(_ text: String) throws {
    try print(isOutputTerminal ? terminalSafeJSON(text) : text)
  }

  static func print(_ text: String) throws { try print(Array(text.utf8)) }

  static func print(lines: [String]) throws { try print(lines.map { $0 + "\n" }.joined()) }

  static func print(_ bytes: [UInt8]) throws {
    let writer = OutputWriter(descriptor: CommandContext.current.output, path: "standard output")
    try writer.write(bytes)
    try writer.flush()
  }

  /// Writes a line to standard error, with the names of options in the libraries' messages.
  ///
  /// A failure is ignored, because it cannot be reported.
  static func complain(_ line: String) {
    let writer = OutputWriter(descriptor: CommandContext.current.error, path: "standard error")
    try? writer.write(Remedy.naming(line) + "\n")
    try? writer.flush()
  }
}

extension Remedy {
  /// A message of the libraries, with the names of options and commands.
  static func naming(_ message: String) -> String {
    var message = message
    for remedy in allCases where message.contains(remedy.rawValue) {
      message = message.replacing(remedy.rawValue, with: remedy.words)
    }
    return message
  }

  /// What the user of the tool does.
  private var words: String {
    switch self {
    case .allowNullIsland: "use --allow-null-island to accept it"
    case .asFormat: "or read it with -i"
    case .asGeoJSON: "write it with -f geojson to import it"
    case .checkDatabase: "run geoq doctor"
    case .chooseDatabase: "choose another file with --db"
    case .chooseFolder: "choose another folder with --cache"
    case .chooseNameColumn: "choose one with --name-col"
    case .createDatabase: "create it with: geoq import FEED"
    case .delimiter: "--delimiter gives another character"
    case .fillDatabase: "fill it with: geoq import FEED"
    case .filterByHours: "--open (open= over HTTP)"
    case .headerNames:
      "give the names with --header a,b,c, or use --no-header and numbers: "
        + "--name-col 2 --lat-col 3 --lon-col 4"
    case .keepMissing:
      "use --keep-missing to remove nothing, or --allow-partial to take it as the whole"
    case .makeTables: "make it with: geoq init --db ADDRESS"
    case .nameColumn: "give its column with --name-col"
    case .noPositionColumns: "omit --lat-col, --lon-col and --point-col"
    case .omitEncoding: "omit --encoding"
    case .positionAndNameColumns:
      "give the columns with --lat-col and --lon-col (or --point-col for WKT) and --name-col"
    case .positionColumns:
      "give the columns with --lat-col and --lon-col (or --point-col for WKT)"
    case .pairOrder: "--order decides"
    case .ratingScale: "--rating-scale sets the scale"
    case .verifyStore: "run geoq verify"
    case .windows1252: "use --encoding windows-1252"
    }
  }
}

/// Shows what a command is doing, on one line of standard error, if that is a terminal.
///
/// The line appears after a second and disappears at the end. A separate thread draws it, so that
/// it also moves during a long step.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class ProgressBar: @unchecked Sendable {
  private let lock = NSLock()
  private let start = Stopwatch.now
  private var text: (_ seconds: Double) -> String
  private var isRunning: Bool
  private var isDrawn = false

  private static let delay = 1_000_000_000

  /// Shows the current step, until `show` replaces it.
  init(isQuiet: Bool, _ text: String) {
    self.text = { Self.line(text, seconds: $0) }
    isRunning = !isQuiet && Terminal.isTTY(CommandContext.current.error)
    guard isRunning else { return }
    Thread { [weak self] in
      while self?.draw() == true { usleep(100_000) }
    }.start()
  }

  deinit {
    clear()
  }

  /// Shows another line from now on.
  func show(_ text: @escaping (_ seconds: Double) -> String) {
    lock.withLock { self.text = text }
  }

  /// Shows the current step, and its time.
  func show(_ text: String) {
    let began = Double(Stopwatch.now - start) / 1e9
    show { Self.line(text, seconds: $0 - began) }
  }

  /// Removes the line.
  func clear() {
    lock.withLock {
      if isDrawn { write("\r\u{1B}[K") }
      isRunning = false
      isDrawn = false
    }
  }

  /// Draws the line if it is time.
  ///
  /// - Returns: False if there is nothing more to draw.
  private func draw() -> Bool {
    lock.withLock {
      let elapsed = Stopwatch.now - start
      if isRunning, elapsed >= Self.delay {
        write("\r\u{1B}[K" + text(Double(elapsed) / 1e9))
        isDrawn = true
      }
      return isRunning
    }
  }

  /// The line of a step whose length is unknown: its name and time.
  static func line(_ text: String, seconds: Double) -> String {
    "\(text), \(Int(max(0, seconds))) s"
  }

  /// The line of a step: count, rate, and the remaining time if the share that is done, 0 to 1, is known.
  static func line(_ count: Int, _ unit: String, share: Double?, seconds: Double) -> String {
    let rate = seconds > 0 ? Int(Double(count) / seconds) : 0
    let text = "\(grouped(count)) \(unit), \(grouped(rate)) a second"
    guard let share, share > 0 else { return text }
    let percent = text + ", \(Int(share * 100)) %"
    // at the start, an estimate would be far off
    guard seconds >= 1, share >= 0.01 else { return percent }
    return percent + ", \(Int((seconds * (1 - share) / share).rounded(.up))) s left"
  }

  private func write(_ text: String) {
    let writer = OutputWriter(descriptor: STDERR_FILENO, path: "standard error")
    try? writer.write(text)
    try? writer.flush()
  }
}

extension ImportProgress {
  /// The line of an import: records, records per second, and the remaining time if the size is
  /// known.
  func line(size: Int?, seconds: Double) -> String {
    let share = size.flatMap { $0 > 0 ? min(1, Double(bytes) / Double($0)) : nil }
    return ProgressBar.line(records, "records", share: share, seconds: seconds)
  }
}

/// A number of things: `1 offer`, `4,812 offers`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// A number of restaurants: `1 restaurant`, `4,812 restaurants`.
func restaurants(_ count: Int) -> String { counted(count, "restaurant") }

/// How many of all things are shown: `4,812 offers`, or `100 of 4,812 offers shown`.
func shown(_ count: Int, of total: Int, _ noun: String) -> String {
  count < total ? "\(grouped(count)) of \(counted(total, noun)) shown" : counted(total, noun)
}

/// A number without a fraction of zero: `12`, `4.5`.
func withoutZeros(_ number: String) -> String {
  number.hasSuffix(".0") ? String(number.dropLast(2)) : number
}

/// The monotonic clock in nanoseconds, read as cheaply as the system allows.
enum Stopwatch {
  /// Nanoseconds since a fixed moment.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Runs a block.
  ///
  /// - Returns: Its result and its time in seconds.
  static func time<Result>(_ body: () throws -> Result) rethrows -> (Result, seconds: Double) {
    let start = now
    let result = try body()
    return (result, Double(now - start) / 1e9)
  }
}

import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery

/// The points of `--at -`, one per line of standard input, or of `--at-file`.
struct BatchInput {
  /// The name of the input in messages.
  let name: String

  /// The column with the names of the points; nil if they have none.
  let idName: String?

  /// The other columns of the points.
  let columns: [String]

  private var lines: LineReader?
  private var lineNumber = 0
  private var rows: [PointTable.Row] = []
  private var position = 0
  private let idColumn: Int?

  /// Warnings about points that are read.
  let warnings: [String]

  /// The maximum size of a file of points, in bytes.
  private static let maximumBytes = 256 << 20

  /// Opens the input.
  ///
  /// Lines that begin like a point are read as points, one by one; anything else is read like a feed.
  ///
  /// - Parameters:
  ///   - path: The file of `--at-file`; nil for `--at -`.
  ///   - idCol: The column that names the points.
  ///   - reading: How the points are read.
  /// - Throws: `CommandFailure` if the file cannot be read; `FeedError` if it has no points;
  ///   `ValidationError`.
  init(_ path: String?, idCol: String?, _ reading: PointReadingOptions) throws {
    let isInput = path == nil || path == "-"
    name = isInput ? "standard input" : path ?? ""
    let descriptor =
      isInput ? CommandContext.current.input : try FeedFile.descriptor(of: path ?? "")
    defer { if !isInput { close(descriptor) } }
    var reader = LineReader(descriptor: descriptor, name: name)
    var first = try reader.peekLine()
    var bytes: [UInt8]?
    if path != nil {
      let all = try reader.takeRest(atMost: Self.maximumBytes)
      reader = LineReader(all)
      first = Self.firstLine(of: all)
      bytes = all
    }
    let isTable = try idCol != nil || reading.isGiven
    guard isTable || Self.isFeed(first, isFile: path != nil) else {
      (idName, columns, idColumn, warnings) = (nil, [], nil, [])
      lines = reader
      return
    }
    let table = try PointTable(
      MemoryBytes(try bytes ?? reader.takeRest(atMost: Self.maximumBytes)),
      try reading.reader(name: name)
    )
    idColumn = try idCol.map { try Self.column($0, of: table) }
    let id = idColumn
    idName = id.map { table.columns[$0] }
    columns = table.columns.enumerated().filter { $0.offset != id }.map(\.element)
    rows = table.rows
    warnings =
      [table.notice].compactMap(\.self).map(terminalSafe) + FeedProblems(table.warnings).lines
  }

  /// The first line that is neither blank nor a comment.
  private static func firstLine(of bytes: [UInt8]) -> [UInt8] {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let line = bytes[start...].prefix(4_096).prefix { $0 != 0x0A }
      let text = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      if let byte = text.first, byte != UInt8(ascii: "#") { return Array(line) }
      start = (bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex - 1) + 1
    }
    return []
  }

  /// Whether an input with this line is a feed, not a point on each line.
  private static func isFeed(_ line: [UInt8], isFile: Bool) -> Bool {
    let text = String(decoding: line, as: UTF8.self).trimmingBlanks
    guard let byte = text.utf8.first, byte != UInt8(ascii: "#") else { return false }
    if (try? parsePoint(text)) != nil || text.lowercased().begins(with: "geo:") { return false }
    let isNumber = byte < 0x3A && byte > 0x2A
    if isNumber { return false }
    if isFile || [UInt8(ascii: "{"), UInt8(ascii: "["), 0x1E].contains(byte) { return true }
    return line.starts(with: [0x1F, 0x8B]) || line.contains { ",;\t|".utf8.contains($0) }
  }

  private static func column(_ name: String, of table: PointTable) throws -> Int {
    let found = table.columns.firstIndex { $0.lowercased() == name.lowercased() }
    if let found { return found }
    throw ValidationError(
      "--id-col: no column \"\(terminalSafe(name))\"; columns are "
        + table.columns.prefix(20).map(terminalSafe).joined(separator: ", ")
    )
  }

  /// Whether reading the next point may block.
  var mayWait: Bool { lines.map { !$0.hasWholeLine } ?? false }

  /// The next point, with its coordinate or its error; nil after the last.
  ///
  /// Blank lines and comments (#) are not points.
  mutating func next() throws -> (BatchPoint, Result<Coordinate, FeedError>)? {
    guard lines != nil else { return nextRow() }
    while let line = try lines?.next() {
      lineNumber += 1
      let text = line.trimmingBlanks
      if text.isEmpty || text.begins(with: "#") { continue }
      let point = Result { () throws(ArgumentProblem) in try parsePoint(text) }
      return (
        BatchPoint(line: lineNumber),
        point.mapError {
          FeedError(source: name, line: lineNumber, problem: $0.description)
        }
      )
    }
    return nil
  }

  private mutating func nextRow() -> (BatchPoint, Result<Coordinate, FeedError>)? {
    guard position < rows.count else { return nil }
    let row = rows[position]
    position += 1
    var values = row.values
    let id = idColumn.map { values.remove(at: $0).asText ?? "\(row.number)" }
    let point = BatchPoint(
      line: row.number,
      id: id,
      columns: zip(columns, values).map { JSONMember(name: $0, value: $1) }
    )
    return (point, row.position)
  }

  /// All points, of which none may be bad.
  ///
  /// - Throws: `FeedError` of the first bad one.
  mutating func all() throws -> [Coordinate] {
    var points: [Coordinate] = []
    while let (_, point) = try next() { points.append(try point.get()) }
    return points
  }
}

import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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

  /// The maximum size of a file of points, in bytes.
  private static let maximumBytes = 256 << 20

  /// Opens the input.
  ///
  /// Standard input is read line by line, unless it begins with a header or like GeoJSON.
  ///
  /// - Throws: `CommandFailure` if the file cannot be read or has no points; `ValidationError`.
  init(_ center: CenterOptions) throws {
    let path = center.atFile ?? "-"
    let isInput = path == "-"
    name = isInput ? "standard input" : terminalSafe(path)
    let descriptor = isInput ? CommandContext.current.input : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure(
        "\(name): cannot be read: \(String(cString: strerror(errno)))",
        exitCode: CommandFailure.noInput
      )
    }
    defer { if !isInput { close(descriptor) } }
    var reader = LineReader(descriptor: descriptor, name: name)
    let first = try reader.peekLine()
    let isTable =
      first.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "{") || PointTable(first) != nil
    if center.atFile != nil || isTable {
      let bytes = try reader.takeRest(atMost: Self.maximumBytes)
      if let table = PointTable(bytes) {
        idColumn = try center.idCol.map { try Self.column($0, of: table) }
        let id = idColumn
        idName = id.map { table.columns[$0] }
        columns = table.columns.enumerated().filter { $0.offset != id }.map(\.element)
        rows = table.rows
        return
      }
      reader = LineReader(bytes)
      guard center.atFile == nil || Self.beginsWithPoint(bytes) else {
        throw CommandFailure(
          "\(name): found no points; expected CSV whose header names latitude and longitude, GeoJSON, "
            + "or one LAT,LON per line",
          exitCode: CommandFailure.badData
        )
      }
    }
    if center.idCol != nil {
      throw ValidationError("--id-col: \(name) has no header, so there are no columns")
    }
    (idName, columns, idColumn) = (nil, [], nil)
    lines = reader
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
  mutating func next() throws -> (BatchPoint, Result<Coordinate, ArgumentProblem>)? {
    guard lines != nil else { return nextRow() }
    while let line = try lines?.next() {
      lineNumber += 1
      let text = line.trimmingBlanks
      if text.isEmpty || text.begins(with: "#") { continue }
      return (
        BatchPoint(line: lineNumber), Result { () throws(ArgumentProblem) in try parsePoint(text) }
      )
    }
    return nil
  }

  private mutating func nextRow() -> (BatchPoint, Result<Coordinate, ArgumentProblem>)? {
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
    return (
      point,
      Result { () throws(ArgumentProblem) in
        guard let latitude = row.latitude, let longitude = row.longitude, !latitude.isEmpty,
          !longitude.isEmpty
        else { throw ArgumentProblem("latitude or longitude is missing") }
        return try parsePoint(latitude + "," + longitude)
      }
    )
  }

  private static func beginsWithPoint(_ bytes: [UInt8]) -> Bool {
    var lines = LineReader(bytes)
    while let line = try? lines.next() {
      let text = line.trimmingBlanks
      if !text.isEmpty, !text.begins(with: "#") { return (try? parsePoint(text)) != nil }
    }
    return false
  }
}

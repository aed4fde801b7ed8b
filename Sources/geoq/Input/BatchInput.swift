import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The points of `--at -`, one a line of standard input, or of `--at-file`.
struct BatchInput {
  /// What messages call it.
  let name: String

  /// The column that names the points; nil if their lines do.
  let idName: String?

  /// The other columns of the points.
  let columns: [String]

  private var lines: LineReader?
  private var lineNumber = 0
  private var rows: [PointTable.Row] = []
  private var position = 0
  private let idColumn: Int?

  /// Largest file of points, in bytes.
  private static let maximumBytes = 256 << 20

  /// Opens the input.
  ///
  /// - Throws: `CommandFailure` if the file cannot be read or has no points; `ValidationError`.
  init(_ center: CenterOptions) throws {
    guard let path = center.atFile else {
      (name, idName, columns, idColumn) = ("standard input", nil, [], nil)
      lines = LineReader(descriptor: STDIN_FILENO)
      return
    }
    name = path == "-" ? "standard input" : terminalSafe(path)
    let bytes = try Self.read(path, name: name)
    guard let table = PointTable(bytes) else {
      // no header: one point a line
      guard center.idCol == nil, Self.beginsWithPoint(bytes) else {
        throw CommandFailure(
          "\(name): found no points; expected CSV whose header names latitude and longitude, GeoJSON, "
            + "or one LAT,LON a line",
          exitCode: CommandFailure.badData
        )
      }
      (idName, columns, idColumn) = (nil, [], nil)
      lines = LineReader(bytes)
      return
    }
    if let id = center.idCol {
      guard let found = table.columns.firstIndex(where: { $0.lowercased() == id.lowercased() })
      else {
        throw ValidationError(
          "--id-col: no column \"\(terminalSafe(id))\"; columns are "
            + table.columns.prefix(20).map(terminalSafe).joined(separator: ", ")
        )
      }
      idColumn = found
    } else {
      idColumn = nil
    }
    let id = idColumn
    idName = id.map { table.columns[$0] }
    columns = table.columns.enumerated().filter { $0.offset != id }.map(\.element)
    rows = table.rows
  }

  /// Whether the next point may have to be waited for.
  var mayWait: Bool { lines.map { !$0.hasWholeLine } ?? false }

  /// The next point, and its coordinate or what is wrong with that; nil after the last.
  ///
  /// Blank lines and comments (#) are not points.
  mutating func next() throws -> (BatchPoint, Result<Coordinate, ArgumentProblem>)? {
    guard lines != nil else { return nextRow() }
    while let line = try lines?.next() {
      lineNumber += 1
      let text = trimmingBlanks(line)
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
        else { throw ArgumentProblem("the point has no latitude and longitude") }
        return try parsePoint(latitude + "," + longitude)
      }
    )
  }

  private static func beginsWithPoint(_ bytes: [UInt8]) -> Bool {
    var lines = LineReader(bytes)
    while let line = try? lines.next() {
      let text = trimmingBlanks(line)
      if !text.isEmpty, !text.begins(with: "#") { return (try? parsePoint(text)) != nil }
    }
    return false
  }

  private static func read(_ path: String, name: String) throws -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure(
        "\(name): cannot be read: \(String(cString: strerror(errno)))",
        exitCode: CommandFailure.noInput
      )
    }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    while true {
      let chunk = try readChunk(from: descriptor, count: 1 << 16, path: name)
      if chunk.isEmpty { return bytes }
      bytes += chunk
      guard bytes.count <= maximumBytes else {
        throw CommandFailure(
          "\(name): more than \(maximumBytes >> 20) MiB of points; use --at -, which reads line by line",
          exitCode: CommandFailure.badData
        )
      }
    }
  }
}

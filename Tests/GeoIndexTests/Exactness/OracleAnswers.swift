import Foundation
import GeoIndex
import Testing

/// Writes random queries with geoq's answers to a file that `Tests/oracle/geographiclib.cpp` checks.
///
/// Not enabled unless `GEOQ_ORACLE_DIR` names a folder. `GEOQ_ORACLE_QUERIES` says how many, 3 000
/// where it says nothing.
///
/// The file is a list of words: `points NAME n` and n times latitude, longitude; `filter INDEX n` and
/// n positions; a query's kind, its filter's index or -1, what it asks, and its answer.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["GEOQ_ORACLE_DIR"] != nil))
struct OracleAnswers {
  private static let sizes = [2_000, 40, 300, 9, 1_000, 1, 130, 5_000, 600, 17, 20_000, 3]

  @Test func `random queries of every layout are written with their answers`() throws {
    let name = try #require(ProcessInfo.processInfo.environment["GEOQ_ORACLE_DIR"])
    let folder = URL(fileURLWithPath: name, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("answers.txt")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    let queries = ExactPlan.environment("GEOQ_ORACLE_QUERIES") ?? 3_000
    var written = 0
    var round = 0
    while written < queries {
      for layout in Layout.allCases {
        let size = Self.sizes[round % Self.sizes.count]
        // few points in most rounds keep the file small
        var field = QueryField(layout, size: size, round: round)
        let lines = Self.lines(of: &field, centers: 4, queriesPerCenter: 10)
        try handle.write(contentsOf: Data(lines.joined(separator: "\n").utf8 + [10]))
        written += 40
      }
      round += 1
    }
  }

  private static func lines(
    of field: inout QueryField,
    centers: Int,
    queriesPerCenter: Int
  ) -> [String] {
    let points = field.scan.coordinates.map { "\($0.latitude) \($0.longitude)" }
    var lines = ["points \(field.layout.rawValue) \(field.count)"] + points
    for (index, filter) in field.filters.enumerated() {
      guard let positions = filter.positions else { continue }
      let members = (0..<field.count).filter(positions.contains).map { "\($0)" }
      lines.append("filter \(index) \(members.count) " + members.joined(separator: " "))
    }
    for _ in 0..<centers {
      let center = field.center()
      // geoq's own ranking gives the radii only: the oracle makes another
      let ranked = field.tree.nearest(to: center, count: field.count)
      for _ in 0..<queriesPerCenter {
        lines.append(line(of: field.query(from: center, ranked), in: field))
      }
    }
    return lines
  }

  private static func line(of query: ExactQuery, in field: QueryField) -> String {
    let filter = field.filters.firstIndex { $0.name == query.filter.name } ?? 0
    let place = "\(query.center.latitude) \(query.center.longitude)"
    let box = query.box
    let asked =
      switch query.kind {
      case .nearest, .batch: "\(place) \(query.count) \(query.distance)"
      case .radius, .radiusUnsorted, .radiusCount: "\(place) \(query.distance)"
      case .box, .boxUnsorted, .boxCount: "\(box.west) \(box.south) \(box.east) \(box.north)"
      }
    let answer =
      switch query.answer(by: field.tree) {
      case .neighbors(let found):
        "\(found.count) " + found.map { "\($0.index) \($0.distance)" }.joined(separator: " ")
      case .positions(let found):
        "\(found.count) " + found.map { "\($0)" }.joined(separator: " ")
      case .count(let count): "\(count)"
      }
    return "\(query.kind.rawValue) \(filter == 0 ? -1 : filter) \(asked) \(answer)"
  }
}

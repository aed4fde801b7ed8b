import Foundation
import TestSupport
import Testing

@testable import GeoIndex

/// Writes what geoq answers to files that `Tests/oracle/check.py` compares with PROJ.
///
/// Not enabled unless `GEOQ_ORACLE_DIR` names a folder:
///
///     GEOQ_ORACLE_DIR=/tmp/oracle swift test -c release --filter OracleFiles
///     python Tests/oracle/check.py /tmp/oracle
@Suite(.enabled(if: OracleFolder.path != nil))
struct OracleFiles {
  /// Little-endian doubles: latitude and longitude of both ends, then geoq's meters.
  @Test func `pairs of every kind are written with their distances`() throws {
    var random = SplitMix64(stream: "oracle pairs")
    var data = Data()
    for kind in PairKind.allCases {
      for _ in 0..<20_000 {
        let (one, other) = kind.pair(using: &random)
        let distance = one.distance(to: other)
        let values = [one.latitude, one.longitude, other.latitude, other.longitude, distance]
        for value in values {
          withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
      }
    }
    try data.write(to: OracleFolder.file("pairs.f64"))
  }

  /// One JSON object per line: a set of points, or a query of the last set with geoq's answer.
  @Test func `queries of every layout are written with their answers`() throws {
    var lines: [String] = []
    for layout in Layout.allCases {
      for (size, centerCount) in [(1, 1), (17, 3), (300, 5), (2_000, 3)] {
        var scenario = Scenario(layout, size: size, centerCount: centerCount)
        let points = scenario.coordinates.flatMap { [$0.latitude, $0.longitude] }
        lines.append(#"{"points":\#(points),"layout":"\#(layout.rawValue)"}"#)
        for (turn, center) in scenario.centers.enumerated() {
          lines += OracleQuery.answered(by: scenario, from: center, filtered: turn % 2 == 1)
        }
        lines += scenario.boxes().flatMap { OracleQuery.answered(by: scenario, box: $0) }
      }
    }
    try Data(lines.joined(separator: "\n").utf8).write(to: OracleFolder.file("queries.jsonl"))
  }

  /// One JSON object per line: an area, positions near it, and whether they are in it.
  @Test func `areas of every kind are written with their answers`() throws {
    var random = SplitMix64(stream: "oracle areas")
    var lines: [String] = []
    for kind in AreaKind.allCases {
      let (areaCount, pointCount) = kind == .thousands ? (4, 500) : (150, 100)
      for _ in 0..<areaCount {
        let area = try kind.area(using: &random)
        let positions = (0..<pointCount).map { _ in AreaKind.position(near: area, using: &random) }
        let polygons = area.polygons.map { $0.map { $0.map { [$0.longitude, $0.latitude] } } }
        let points = positions.map { [$0.latitude, $0.longitude] }
        let answers = positions.map { area.contains($0) }
        let members = #""positions":\#(points),"answers":\#(answers)"#
        lines.append(#"{"kind":"\#(kind.rawValue)","polygons":\#(polygons),\#(members)}"#)
      }
    }
    try Data(lines.joined(separator: "\n").utf8).write(to: OracleFolder.file("areas.jsonl"))
  }
}

/// The folder that `GEOQ_ORACLE_DIR` names.
private enum OracleFolder {
  static let path = ProcessInfo.processInfo.environment["GEOQ_ORACLE_DIR"]

  static func file(_ name: String) throws -> URL {
    let folder = URL(fileURLWithPath: try #require(path), isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent(name)
  }
}

/// Queries with geoq's answers as lines of JSON; null stands for infinity and for no filter.
private enum OracleQuery {
  static func answered(
    by scenario: Scenario,
    from center: Coordinate,
    filtered: Bool
  ) -> [String] {
    let tree = scenario.tree
    let allowed = filtered ? scenario.filter : nil
    let members = (0..<tree.count).filter { scenario.filter.contains($0) }
    let place = #""lat":\#(center.latitude),"lon":\#(center.longitude)"#
    let common = place + #","allowed":\#(filtered ? "\(members)" : "null")"#
    let ranked = tree.nearest(to: center, count: tree.count)
    let rim = ranked[ranked.count / 2].distance
    var lines: [String] = []
    for (count, limit) in [(1, .infinity), (10, .infinity), (25, rim), (tree.count, .infinity)] {
      let found = tree.nearest(to: center, count: count, within: limit, where: allowed)
      let query = #"{"kind":"nearest",\#(common),"count":\#(count),"within":\#(json(limit))"#
      lines.append(query + "," + answer(found))
    }
    for radius in [0, rim, max(0, rim.nextDown), 1_500, 20_003_932] {
      let found = tree.within(radius: radius, of: center, where: allowed)
      let counted = tree.count(within: radius, of: center, where: allowed)
      let query = #"{"kind":"radius",\#(common),"radius":\#(radius),"counted":\#(counted)"#
      lines.append(query + "," + answer(found))
    }
    return lines
  }

  static func answered(by scenario: Scenario, box: BoundingBox) -> [String] {
    let found = scenario.tree.within(box)
    let counted = scenario.tree.count(in: box)
    return [#"{"kind":"box","box":[\#(box)],"counted":\#(counted),"indexes":\#(found)}"#]
  }

  private static func answer(_ found: [Neighbor]) -> String {
    #""indexes":\#(found.map(\.index)),"distances":\#(found.map(\.distance))}"#
  }

  private static func json(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }
}

import Foundation
import GeoIndex
import GeoQuery

/// A point for a record that has an outline instead of a position.
enum Outline {
  private typealias Position = (x: Double, y: Double)

  /// The types of geometries that have a point.
  static let types: Set<UTF8Key> = ["Polygon", "MultiPolygon", "LineString", "MultiLineString"]

  /// Finds a point on a line or inside an area, of several parts the largest: the centroid if it is
  /// inside, otherwise the middle of the widest part of the area at the centroid's latitude.
  ///
  /// The coordinates are GeoJSON's lists; an outline may cross ±180 if it is not wider than half the
  /// globe. A warning tells which point it is.
  static func point(
    _ type: String,
    _ coordinates: JSONValue
  ) throws(FeedProblem) -> CoordinateReading {
    let isArea = type.ends(with: "Polygon")
    let parts = type.begins(with: "Multi") ? elements(coordinates) : [coordinates]
    var largest: (point: Position, size: Double, what: String)?
    for part in parts {
      guard let found = isArea ? area(elements(part).map(ring)) : line(ring(part)) else { continue }
      if found.size > largest?.size ?? -1 { largest = found }
    }
    guard let largest else { throw FeedProblem("the \(type) has no position") }
    let x = largest.point.x
    let longitude = x > 180 ? x - 360 : x < -180 ? x + 360 : x
    guard let coordinate = Coordinate(latitude: largest.point.y, longitude: longitude) else {
      throw FeedProblem("the \(type) is not on the globe")
    }
    return CoordinateReading(coordinate, warnings: ["position taken from \(largest.what)"])
  }

  private static func elements(_ value: JSONValue) -> [JSONValue] {
    if case .array(let elements) = value { elements } else { [] }
  }

  /// The positions of a ring or a line, with longitudes that do not jump at ±180.
  private static func ring(_ value: JSONValue) -> [Position] {
    var positions: [Position] = []
    for element in elements(value) {
      let numbers = elements(element)
      guard numbers.count >= 2, var x = numbers[0].asText.flatMap(decimal),
        let y = numbers[1].asText.flatMap(decimal), x.magnitude <= 360, y.magnitude <= 90
      else { return [] }
      if let last = positions.last {
        while x - last.x > 180 { x -= 360 }
        while last.x - x > 180 { x += 360 }
      }
      positions.append((x, y))
    }
    let width = (positions.map(\.x).max() ?? 0) - (positions.map(\.x).min() ?? 0)
    return width > 180 ? [] : positions
  }

  /// A point of an area with holes, and its size.
  private static func area(_ rings: [[Position]]) -> (point: Position, size: Double, what: String)?
  {
    guard let outer = rings.first, outer.count >= 3 else { return nil }
    // relative to a corner, because the products of degrees would lose digits
    let corner = outer[0]
    var (twice, x, y) = (0.0, 0.0, 0.0)
    for (one, other) in zip(outer, outer.dropFirst() + [corner]) {
      let (a, b) = (one.x - corner.x, one.y - corner.y)
      let (c, d) = (other.x - corner.x, other.y - corner.y)
      let cross = a * d - c * b
      twice += cross
      x += (a + c) * cross
      y += (b + d) * cross
    }
    guard twice != 0 else { return line(outer) }
    let middle = (x: corner.x + x / (3 * twice), y: corner.y + y / (3 * twice))
    let crossings = crossings(of: rings, at: middle.y)
    let size = twice.magnitude / 2
    if crossings.filter({ $0 < middle.x }).count % 2 == 1 {
      return (middle, size, "the centroid of its outline")
    }
    let spans = stride(from: 0, to: crossings.count - 1, by: 2).map {
      (start: crossings[$0], end: crossings[$0 + 1])
    }
    guard let widest = spans.max(by: { $0.end - $0.start < $1.end - $1.start }) else { return nil }
    let inside = (x: (widest.start + widest.end) / 2, y: middle.y)
    return (inside, size, "the middle of the widest part of its outline")
  }

  /// The longitudes at which rings cross a parallel, in ascending order.
  private static func crossings(of rings: [[Position]], at y: Double) -> [Double] {
    var crossings: [Double] = []
    for ring in rings {
      for (one, other) in zip(ring, ring.dropFirst() + ring.prefix(1))
      where (one.y > y) != (other.y > y) {
        crossings.append(one.x + (y - one.y) / (other.y - one.y) * (other.x - one.x))
      }
    }
    return crossings.sorted()
  }

  /// The point half way along a line, and its length.
  private static func line(_ line: [Position]) -> (point: Position, size: Double, what: String)? {
    guard let first = line.first else { return nil }
    let lengths = zip(line, line.dropFirst()).map { one, other in
      let x = (other.x - one.x) * cos((one.y + other.y) / 2 * .pi / 180)
      return (x * x + (other.y - one.y) * (other.y - one.y)).squareRoot()
    }
    let total = lengths.reduce(0, +)
    var rest = total / 2
    for (index, length) in lengths.enumerated() {
      if rest <= length, length > 0 {
        let (one, other) = (line[index], line[index + 1])
        let share = rest / length
        let point = (x: one.x + share * (other.x - one.x), y: one.y + share * (other.y - one.y))
        return (point, total, "the middle of its line")
      }
      rest -= length
    }
    return (first, total, "the start of its line")
  }
}

public import GeoIndex

/// Whether a position lies in a geometry, in longitude and latitude, with straight edges.
public struct PlaceTest: Sendable, Hashable, CustomStringConvertible {
  /// The relations of a position to a geometry.
  public enum Relation: String, Sendable {
    /// Inside or on the boundary.
    case intersects = "S_INTERSECTS"
    /// Inside; the boundary is out, but a point is within itself.
    case within = "S_WITHIN"
  }

  /// A geometry in degrees.
  public enum Geometry: Sendable, Hashable {
    /// A position.
    case point(Coordinate)
    /// A box; one with west > east crosses the antimeridian.
    case box(BoundingBox)
    /// Polygons, each an outline and its holes, as closed rings.
    case polygons([[[Vertex]]])
  }

  /// A corner of a ring.
  public struct Vertex: Sendable, Hashable {
    /// Degrees east; may be beyond ±180.
    public let longitude: Double

    /// Degrees north, -90...90.
    public let latitude: Double
  }

  /// The relation.
  public let relation: Relation

  /// The geometry.
  public let geometry: Geometry

  /// Whether a position has the relation to the geometry.
  ///
  /// - Complexity: O(vertices).
  public func contains(_ position: Coordinate) -> Bool {
    switch geometry {
    case .point(let point): return point == position
    case .box(let box):
      guard box.contains(position) else { return false }
      if relation == .intersects { return true }
      let onMeridian = [box.west, box.east].contains {
        Coordinate(latitude: 0, longitude: $0)
          == Coordinate(latitude: 0, longitude: position.longitude)
      }
      return position.latitude != box.south && position.latitude != box.north && !onMeridian
    case .polygons(let polygons):
      let sides = polygons.map { Self.side(of: position, $0) }
      return sides.contains(.inside) || (relation == .intersects && sides.contains(.boundary))
    }
  }

  private enum Side {
    case inside, boundary, outside
  }

  /// Where a position is in a polygon, by the even-odd rule, also one turn further east and west.
  private static func side(of position: Coordinate, _ rings: [[Vertex]]) -> Side {
    let sides = [-360.0, 0, 360].map { turn in
      side(position.longitude + turn, position.latitude, rings)
    }
    return sides.contains(.inside) ? .inside : sides.contains(.boundary) ? .boundary : .outside
  }

  private static func side(_ x: Double, _ y: Double, _ rings: [[Vertex]]) -> Side {
    var isInside = false
    for ring in rings {
      for (one, other) in zip(ring, ring.dropFirst()) {
        let turn =
          (other.longitude - one.longitude) * (y - one.latitude)
          - (x - one.longitude) * (other.latitude - one.latitude)
        if turn == 0,
          min(one.longitude, other.longitude)...max(one.longitude, other.longitude) ~= x,
          min(one.latitude, other.latitude)...max(one.latitude, other.latitude) ~= y
        {
          return .boundary
        }
        if (one.latitude > y) != (other.latitude > y), (turn > 0) == (other.latitude > one.latitude)
        {
          isInside.toggle()
        }
      }
    }
    return isInside ? .inside : .outside
  }

  /// The test in CQL2 text.
  public var description: String {
    let text =
      switch geometry {
      case .point(let point): "POINT(\(point.longitude) \(point.latitude))"
      case .box(let box): "BBOX(\(box.description))"
      case .polygons(let polygons):
        (polygons.count == 1 ? "POLYGON" : "MULTIPOLYGON(")
          + polygons.map { rings in
            let rings = rings.map { ring in
              "(" + ring.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ",") + ")"
            }
            return "(" + rings.joined(separator: ",") + ")"
          }.joined(separator: ",") + (polygons.count == 1 ? "" : ")")
      }
    return "\(relation.rawValue)(geometry,\(text))"
  }
}

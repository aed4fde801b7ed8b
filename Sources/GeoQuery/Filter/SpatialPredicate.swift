package import GeoIndex

/// Whether a position lies in a geometry, in longitude and latitude, with straight edges.
public struct SpatialPredicate: Sendable, Hashable, CustomStringConvertible {
  /// The relations of a position to a geometry.
  package enum Relation: String, Sendable {
    /// Inside or on the boundary.
    case intersects = "S_INTERSECTS"
    /// Inside; the boundary is out, but a point is within itself.
    case within = "S_WITHIN"
  }

  /// A geometry in degrees.
  package enum Geometry: Sendable, Hashable {
    /// A position.
    case point(Coordinate)
    /// A box; one with west > east crosses the antimeridian.
    case box(BoundingBox)
    /// Polygons, each an area of its own.
    case polygons([Area])
  }

  /// The relation.
  package let relation: Relation

  /// The geometry.
  package let geometry: Geometry

  /// Whether a position has the relation to the geometry.
  ///
  /// - Complexity: As `Area.contains(_:)`; O(vertices) for `within`.
  package func contains(_ position: Coordinate) -> Bool {
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
      return polygons.contains {
        $0.contains(position) && (relation == .intersects || !$0.isOnBoundary(position))
      }
    }
  }

  /// The predicate in CQL2 text.
  public var description: String {
    let text =
      switch geometry {
      case .point(let point): "POINT(\(point.longitude) \(point.latitude))"
      case .box(let box): "BBOX(\(box.description))"
      case .polygons(let polygons):
        (polygons.count == 1 ? "POLYGON" : "MULTIPOLYGON(")
          + polygons.flatMap(\.polygons).map { rings in
            let rings = rings.map { ring in
              "(" + ring.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ",") + ")"
            }
            return "(" + rings.joined(separator: ",") + ")"
          }.joined(separator: ",") + (polygons.count == 1 ? "" : ")")
      }
    return "\(relation.rawValue)(geometry,\(text))"
  }
}

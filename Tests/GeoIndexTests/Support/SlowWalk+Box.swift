import Foundation

@testable import GeoIndex

extension SlowWalk {
  /// The verdict on a bounding box: a slab and the half-spaces of two meridians, 4 m off each edge.
  static func box(_ box: BoundingBox) -> ([Double], [Double]) -> Verdict {
    let bottom = box.south == -90 ? -.infinity : height(box.south)
    let top = box.north == 90 ? .infinity : height(box.north)
    let (west, east) = (box.west * .pi / 180, box.east * .pi / 180)
    let normals = [(-sin(west), cos(west)), (sin(east), -cos(east))]
    let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    return { low, high in
      let isUnion = width > 180
      var touched = both(isAbove(high[2], bottom - 4), isAbove(top + 4, low[2]))
      var inside = both(isAbove(low[2], bottom + 4), isAbove(top - 4, high[2]))
      if box.west != -180 || box.east != 180 {
        let reach = normals.map { span(low, high, along: $0) }
        let touches = reach.map { isAbove($0.greatest, -4) }
        let holds = reach.map { isAbove($0.least, 4) }
        touched = both(touched, combined(touches, isUnion))
        inside = both(inside, combined(holds, isUnion))
      }
      guard let touched else { return .open }
      guard touched else { return .outside }
      return inside.map { $0 ? .inside : .cut } ?? .open
    }
  }

  /// z of a parallel, meters.
  private static func height(_ latitude: Double) -> Double {
    let (a, f) = (6_378_137.0, 1 / 298.257223563)
    let e2 = f * (2 - f)
    let sine = sin(latitude * .pi / 180)
    return a * (1 - e2) * sine / (1 - e2 * sine * sine).squareRoot()
  }

  /// The least and the greatest of x·nx + y·ny over a box.
  private static func span(
    _ low: [Double],
    _ high: [Double],
    along normal: (Double, Double)
  ) -> (least: Double, greatest: Double) {
    let corners = [low[0], high[0]].flatMap { x in
      [low[1], high[1]].map { x * normal.0 + $0 * normal.1 }
    }
    return (corners.min() ?? 0, corners.max() ?? 0)
  }

  /// Whether one length is above another; nil if the search's rounding may see it otherwise.
  private static func isAbove(_ one: Double, _ other: Double) -> Bool? {
    abs(one - other) < 3 ? nil : one > other
  }

  /// The and of three values (Kleene): what is surely false wins over what is not known.
  private static func both(_ one: Bool?, _ other: Bool?) -> Bool? {
    if one == false || other == false { return false }
    return one == nil || other == nil ? nil : true
  }

  private static func combined(_ sides: [Bool?], _ isUnion: Bool) -> Bool? {
    guard isUnion else { return both(sides[0], sides[1]) }
    return both(sides[0].map { !$0 }, sides[1].map { !$0 }).map { !$0 }
  }
}

import GeoFeed
import GeoIndex
import GeoQuery

/// The order of points along a space-filling curve, in which neighbors are near each other on the
/// map.
///
/// D. Hilbert, Über die stetige Abbildung einer Linie auf ein Flächenstück, Math. Ann. 38, 1891;
/// the rotation of each quadrant is a table of four states.
enum CurveOrder {
  private static let bits = 31

  private struct Place {
    let key: UInt64
    let position: UInt32
  }

  /// The positions of points along the curve.
  ///
  /// - Complexity: O(n log n), 40 bytes of memory per point.
  static func positions(of points: [Coordinate]) -> [UInt32] {
    let precedes = { @Sendable (left: Place, right: Place) in
      left.key != right.key ? left.key < right.key : left.position < right.position
    }
    let parts = Parallel.mapParts(of: points.indices, threads: Parallel.coreCount) { part in
      part.map { Place(key: key(of: points[$0]), position: UInt32($0)) }.sorted(by: precedes)
    }
    var places = parts.flatMap { $0 }
    // only merges the sorted parts
    places.sort(by: precedes)
    return places.map(\.position)
  }

  /// The position of a point along the curve: 2 bits for each halving of the map.
  static func key(of point: Coordinate) -> UInt64 {
    let scale = Double(1 << bits)
    let x = min(UInt32((point.longitude + 180) / 360 * scale), 1 << 31 - 1)
    let y = min(UInt32((point.latitude + 90) / 180 * scale), 1 << 31 - 1)
    var state = 0
    var key: UInt64 = 0
    for bit in stride(from: bits - 1, through: 0, by: -1) {
      let quadrant = Int((x &>> UInt32(bit)) & 1) &* 2 &+ Int((y &>> UInt32(bit)) & 1)
      key = key &<< 2 | UInt64((ranks &>> UInt64((state &* 4 &+ quadrant) &* 2)) & 3)
      state = Int((turns &>> UInt64((state &* 4 &+ quadrant) &* 2)) & 3)
    }
    return key
  }

  // for each state and each of its quadrants (0,0), (0,1), (1,0), (1,1): the quadrant's rank, and
  // the state inside it; two bits each, the first one lowest
  private static let ranks = table([0, 1, 3, 2, 0, 3, 1, 2, 2, 3, 1, 0, 2, 1, 3, 0])
  private static let turns = table([1, 0, 3, 0, 0, 2, 1, 1, 2, 1, 2, 3, 3, 3, 0, 2])

  private static func table(_ entries: [UInt64]) -> UInt64 {
    entries.reversed().reduce(0) { $0 << 2 | $1 }
  }
}

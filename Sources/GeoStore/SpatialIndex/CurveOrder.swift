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

  /// The positions of points along the curve.
  ///
  /// - Complexity: O(n log n), 16 bytes of memory per point.
  static func positions(of points: [Coordinate]) -> [UInt32] {
    var places = points.indices.map { (key: key(of: points[$0]), position: UInt32($0)) }
    places.sort { $0.key != $1.key ? $0.key < $1.key : $0.position < $1.position }
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

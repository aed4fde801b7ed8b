import GeoIndex

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The answer to a filtered query without an index: one look at each candidate, and a distance solved
/// only where the straight line through the earth, which is never longer, leaves it in question.
///
/// The earth-centred coordinates are at hand, as they are in the tree: what is compared is the search.
struct FullScan {
  private let points: [Coordinate]
  private let places: [SIMD3<Double>]

  init(_ points: [Coordinate]) {
    self.points = points
    places = points.map(Self.place)
  }

  /// The answer among some positions, which come ascending.
  func answer(
    to operation: BenchOperation,
    at center: Coordinate,
    among positions: some Sequence<Int>
  ) -> BenchAnswer {
    switch operation {
    case .nearest(let count):
      .neighbors(neighbors(of: center, count: count, within: .infinity, among: positions))
    case .radius(let metres):
      .neighbors(neighbors(of: center, count: .max, within: metres, among: positions))
    case .box(let halfWidth):
      .positions(Self.positions(in: .around(center, halfWidth: halfWidth), of: points, positions))
    }
  }

  private func neighbors(
    of center: Coordinate,
    count: Int,
    within maximumDistance: Double,
    among positions: some Sequence<Int>
  ) -> [Neighbor] {
    let origin = Self.place(of: center)
    var best: [Neighbor] = []
    var limit = maximumDistance
    var chordLimit = Self.chordSquared(surelyBeyond: limit)
    for position in positions {
      let way = places[position] - origin
      if (way * way).sum() > chordLimit { continue }
      let found = Neighbor(index: position, distance: center.distance(to: points[position]))
      guard found.distance <= limit else { continue }
      guard count < .max else {
        best.append(found)
        continue
      }
      if best.count == count {
        guard let last = best.last, found < last else { continue }
        best.removeLast()
      }
      best.insert(found, at: best.firstIndex { found < $0 } ?? best.endIndex)
      guard best.count == count, let last = best.last else { continue }
      limit = last.distance
      chordLimit = Self.chordSquared(surelyBeyond: limit)
    }
    return count < .max ? best : best.sorted()
  }

  private static func positions(
    in box: BoundingBox,
    of points: [Coordinate],
    _ candidates: some Sequence<Int>
  ) -> [Int] {
    candidates.filter { box.contains(points[$0]) }
  }

  /// A square of chords beyond which every geodesic is longer than a distance, rounding included.
  private static func chordSquared(surelyBeyond distance: Double) -> Double {
    let reach = distance + 1e-6 + 1e-12 * distance
    return reach * reach
  }

  /// The point in earth-centred metres on WGS84.
  private static func place(of coordinate: Coordinate) -> SIMD3<Double> {
    let (semiMajorAxis, flattening) = (6_378_137.0, 1 / 298.257223563)
    let eccentricitySquared = flattening * (2 - flattening)
    let latitude = coordinate.latitude * .pi / 180
    let longitude = coordinate.longitude * .pi / 180
    let normal =
      semiMajorAxis / (1 - eccentricitySquared * sin(latitude) * sin(latitude)).squareRoot()
    return SIMD3(
      normal * cos(latitude) * cos(longitude),
      normal * cos(latitude) * sin(longitude),
      normal * (1 - eccentricitySquared) * sin(latitude)
    )
  }
}

import Testing

@testable import GeoIndex

/// One layout at one size, its tree, its oracle, and the places to ask from.
struct Scenario: CustomStringConvertible {
  let layout: Layout
  let coordinates: [Coordinate]
  let tree: KDTree
  let scan: LinearScan
  let centers: [Coordinate]
  let filter: BitSet
  var random: SplitMix64

  /// What a failure message says, enough to run it again.
  var description: String {
    "SEED=\(SplitMix64.seed) layout \(layout.rawValue), \(coordinates.count) points"
  }

  /// Every size of a layout.
  ///
  /// Debug builds get a share: the linear scan is slow there.
  static func all(of layout: Layout) -> [Scenario] {
    let leaf = TreeShape.leafCapacity
    #if DEBUG
    let few = 4
    let sizes = [(1_000, 1), (4_000, 1)]
    #else
    let few = 28
    let sizes = [(1_000, 21), (20_000, 7)]
    #endif
    let small = [0, 1, 2, leaf - 1, leaf, leaf + 1, 2 * leaf, 2 * leaf + 1, 255, 257]
    return (small.map { ($0, few) } + sizes).map { Scenario(layout, size: $0.0, centerCount: $0.1) }
  }

  init(_ layout: Layout, size: Int, centerCount: Int) {
    var random = SplitMix64(stream: "\(layout.rawValue) \(size)")
    let coordinates = layout.coordinates(count: size, using: &random)
    self.layout = layout
    self.coordinates = coordinates
    tree = KDTree(coordinates)
    scan = LinearScan(coordinates: coordinates)
    filter = BitSet(
      capacity: size,
      (0..<size).filter { _ in random.int(below: 3) == 0 }
    )
    centers = (0..<centerCount).map { Self.center($0, of: coordinates, using: &random) }
    self.random = random
    #expect(tree.brokenInvariant() == nil, "\(layout) \(size)")
  }

  private static func center(
    _ turn: Int,
    of coordinates: [Coordinate],
    using random: inout SplitMix64
  ) -> Coordinate {
    let anchor = coordinates.randomElement(using: &random) ?? random.coordinate()
    return switch turn % 7 {
    case 0: anchor
    case 1: random.coordinate()
    case 2: random.coordinate(near: anchor, degrees: 0.05)
    case 3: anchor.antipode
    case 4: .at(turn % 2 == 0 ? 90 : -90, random.double(in: -180...180))
    case 5: random.coordinate(near: anchor, degrees: 3)
    default: .at(anchor.latitude.nextUp, anchor.longitude.nextDown)
    }
  }

  /// Fails with the scenario and the query where an answer is not the oracle's, bit for bit.
  func expect(
    _ answer: [Neighbor],
    equals expected: [Neighbor],
    _ query: @autoclosure () -> String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isEqual = answer.elementsEqual(expected) {
      $0.index == $1.index && $0.distance.bitPattern == $1.distance.bitPattern
    }
    guard !isEqual else { return }
    let place = zip(answer, expected).enumerated().first { $1.0 != $1.1 }
    Issue.record(
      """
      \(self): \(query()) gave \(answer.count) of \(expected.count) answers, \
      first difference \(String(describing: place))
      """,
      sourceLocation: sourceLocation
    )
  }
}

import Foundation

@testable import GeoIndex

/// What a search has to do, counted by a slow walk that works out every bound anew.
///
/// It knows the points, which of them lie below which lane, and the rules: skip what is certainly
/// outside, take whole what is certainly inside, the nearest first. Its bounds are 64-bit and exact;
/// where one is nearer to deciding otherwise than the search's own rounding, the walk is `isOpen` and
/// its counts are none.
struct SlowWalk {
  /// Where what is below a lane lies.
  enum Verdict {
    case outside
    case cut
    case inside
    case open
  }

  let tree: KDTree
  private(set) var counts = SearchStatistics()
  private(set) var isOpen = false

  /// The slots of the leaves that were looked into, and those that were taken whole.
  private(set) var scannedSlots: [Int] = []
  private(set) var takenSlots: [Int] = []

  private let lanes: [TreeLane]
  private let boxes: [(low: [Double], high: [Double])]

  init(_ tree: KDTree) {
    self.tree = tree
    lanes = TreeLane.all(of: tree)
    boxes = lanes.map { [tree] in $0.box(in: tree) }
  }

  /// More than the search's bound may lie off a length, meters: boxes are wider by 0.5 m and the place
  /// by 0.75 m, squares are rounded to 32 bits.
  private static func rounding(at length: Double) -> Double { 3 + length * 2e-6 }

  /// Walks over all that a region may hold.
  mutating func visit(_ node: Int = 0, _ judge: (_ low: [Double], _ high: [Double]) -> Verdict) {
    counts.nodesVisited += 1
    for lane in lanes[8 * node..<8 * node + 8] where !lane.slots.isEmpty {
      let box = boxes[8 * node + lane.lane]
      switch judge(box.low, box.high) {
      case .open: isOpen = true
      case .outside: counts.nodesPruned += 1
      case .inside:
        counts.subtreesTaken += 1
        takenSlots += lane.slots
      case .cut: enter(lane) { $0.visit($1, judge) }
      }
    }
  }

  private mutating func enter(_ lane: TreeLane, _ visit: (inout SlowWalk, Int) -> Void) {
    if let child = lane.child {
      visit(&self, child)
    } else {
      counts.leavesScanned += lane.leaves.count
      counts.pointsScanned += lane.slots.count
      scannedSlots += lane.slots
    }
  }

  // MARK: - Balls

  /// The verdict on a ball.
  static func ball(_ radius: Double, of origin: ECEFPoint) -> ([Double], [Double]) -> Verdict {
    let certain = certainChord(radius)
    return { low, high in
      let (nearest, farthest) = extremes(low, high, from: origin)
      let margin = rounding(at: radius)
      if nearest > radius + margin { return .outside }
      if farthest < certain - margin { return .inside }
      if nearest < radius - margin && farthest > certain + margin { return .cut }
      return .open
    }
  }

  /// The chord up to which the ellipsoid cannot bend enough for a distance to exceed a radius, less 1 mm.
  static func certainChord(_ radius: Double) -> Double {
    let rho = 6_335_439.327
    return 2 * rho * sin(radius / (2 * rho)) - 0.001
  }

  /// The least and the greatest distance of a place from a box.
  private static func extremes(
    _ low: [Double],
    _ high: [Double],
    from origin: ECEFPoint
  ) -> (nearest: Double, farthest: Double) {
    var (nearest, farthest) = (0.0, 0.0)
    for (axis, place) in [origin.x, origin.y, origin.z].enumerated() {
      let gap = max(0, low[axis] - place, place - high[axis])
      let reach = max(high[axis] - place, place - low[axis])
      nearest += gap * gap
      farthest += reach * reach
    }
    return (nearest.squareRoot(), farthest.squareRoot())
  }

  // MARK: - The nearest

  /// Walks toward a place for a number of points, all of them within reach of the chord formula.
  mutating func visitNearest(to origin: ECEFPoint, count: Int) {
    var list = SlowList(count: count)
    visitNearest(0, to: origin, &list)
    counts.distancesSolved = list.solvedCount
    isOpen = isOpen || list.isOpen
  }

  private mutating func visitNearest(_ node: Int, to origin: ECEFPoint, _ list: inout SlowList) {
    counts.nodesVisited += 1
    let order = lanes[8 * node..<8 * node + 8].filter { !$0.slots.isEmpty }
      .map { lane in
        let box = boxes[8 * node + lane.lane]
        return (bound: Self.extremes(box.low, box.high, from: origin).nearest, lane: lane)
      }
      .sorted { ($0.bound, $0.lane.lane) < ($1.bound, $1.lane.lane) }
    for (one, next) in zip(order, order.dropFirst()) where next.bound > one.bound {
      isOpen = isOpen || next.bound - one.bound < Self.rounding(at: next.bound)
    }
    for (rank, (bound, lane)) in order.enumerated() {
      isOpen = isOpen || abs(bound - list.limit) < Self.rounding(at: bound)
      guard bound <= list.limit else {
        counts.nodesPruned += order.count - rank
        return
      }
      enter(lane) { $0.visitNearest($1, to: origin, &list) }
      guard lane.child == nil else { continue }
      list.take(
        lane.slots.map {
          Chord(from: origin, to: tree.view.ecefPoint(atSlot: $0)).squared.squareRoot()
        }
      )
    }
  }
}

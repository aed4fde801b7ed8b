@testable import GeoIndex

/// A lane of a node with what is below it, found by dividing instead of by the tree's own arithmetic.
struct TreeLane {
  let node: Int
  let lane: Int

  /// The node below, or nil on the lowest level.
  let child: Int?

  /// The leaves below: on the lowest level one or none.
  let leaves: Range<Int>

  /// The slots below; empty if the lane is not used.
  let slots: Range<Int>

  /// The lanes of a tree, eight per node in the order of the nodes.
  static func all(of tree: KDTree) -> [TreeLane] {
    guard tree.count > 0 else { return [] }
    let leafCount = (tree.count + 31) / 32
    var widths = [1]
    while widths[0] * 8 < leafCount { widths.insert(widths[0] * 8, at: 0) }
    // how many lanes of the lowest level a lane of each level stands for
    let rootLaneCount = (leafCount + widths[0] - 1) / widths[0]
    let laneCount = rootLaneCount * widths[0]
    var lanes: [TreeLane] = []
    var next = 1
    for (level, width) in widths.enumerated() {
      let isLowest = level == widths.count - 1
      for first in stride(from: 0, to: laneCount, by: level == 0 ? laneCount : 8 * width) {
        let node = lanes.count / 8
        for lane in 0..<8 {
          let unused = level == 0 ? 8 - rootLaneCount : 0
          let start = first + (lane - unused) * width
          let bounds = lane < unused ? (0, 0) : (start, start + width)
          let leaves = bounds.0 * leafCount / laneCount..<bounds.1 * leafCount / laneCount
          lanes.append(
            TreeLane(
              node: node,
              lane: lane,
              child: isLowest || lane < unused ? nil : next,
              leaves: leaves,
              slots: min(
                tree.count,
                leaves.lowerBound * 32
              )..<min(tree.count, leaves.upperBound * 32)
            )
          )
          if !isLowest && lane >= unused { next += 1 }
        }
      }
    }
    return lanes
  }

  /// The places of the points below.
  func sites(in tree: KDTree) -> [ECEFPoint] { slots.map { tree.view.ecefPoint(atSlot: $0) } }

  /// The box around the places below, meters; inside out if there are none.
  func box(in tree: KDTree) -> (low: [Double], high: [Double]) {
    var box = (
      low: [Double](repeating: .infinity, count: 3),
      high: [-Double.infinity, -.infinity, -.infinity]
    )
    for origin in sites(in: tree) {
      for (axis, value) in [origin.x, origin.y, origin.z].enumerated() {
        box.low[axis] = min(box.low[axis], value)
        box.high[axis] = max(box.high[axis], value)
      }
    }
    return box
  }
}

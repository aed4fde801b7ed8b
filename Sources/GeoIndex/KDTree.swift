/// A static index over positions that answers nearest, radius and box queries exactly on WGS84.
///
/// ```swift
/// let tree = KDTree(cities)
/// let five = tree.nearest(to: paris, count: 5)
/// let close = tree.within(radius: 2_000, of: paris)
/// let inBox = tree.within(box)
/// ```
///
/// Answers are positions in the collection that the tree was built from; equal distances are ordered
/// by them. Distances are metres along the ellipsoid, those of ``Coordinate/distance(to:)`` bit for
/// bit. Every boundary is closed. A query gives what sorting or filtering the whole collection would
/// give, and only faster.
///
/// The tree is a k-d tree (J. L. Bentley, Communications of the ACM 18, 1975,
/// doi 10.1145/361002.361007) over earth-centred coordinates: in space the poles and the antimeridian
/// are ordinary places. It has no node objects: points lie in leaf order in flat arrays, a node is a
/// range of them, and beside it there is one tight box per node. The invariant: a node's box is the
/// union of its children's, and a leaf's is that of its points.
///
/// It is not generic and it does not change: to add a point, build another one.
public struct KDTree: Sendable {
  let shape: TreeShape

  /// The points in leaf order; their indexes here are called slots.
  let sites: [Site]

  /// From slots to positions in the caller's collection.
  let positions: [UInt32]

  /// From positions in the caller's collection to slots.
  let slots: [UInt32]

  /// The tight box of each node by its number.
  ///
  /// Number 0, which no node has, repeats the root. In an empty tree there is none.
  let boxes: [NodeBox]

  /// The number of points.
  public var count: Int { sites.count }

  /// Whether the tree holds no point.
  public var isEmpty: Bool { sites.isEmpty }

  /// The coordinate at a position of the collection that the tree was built from, bits kept.
  ///
  /// - Parameter index: in 0..<count.
  /// - Complexity: O(1).
  public subscript(index: Int) -> Coordinate {
    precondition(
      index >= 0 && index < count,
      "An index must be in the range of the tree, 0..<count."
    )
    return sites[Int(slots[index])].coordinate
  }

  /// Traps where a set is not one over this tree's positions.
  func checkCapacity(of allowed: PositionSet?) {
    precondition(
      allowed.map { $0.capacity == count } ?? true,
      "The capacity of the position set must be the count of the tree."
    )
  }

  /// Whether the point in a slot passes the filter.
  func isAllowed(_ slot: Int, by allowed: PositionSet?) -> Bool {
    guard let allowed else { return true }
    return allowed.contains(Int(positions[slot]))
  }
}

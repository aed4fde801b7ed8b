/// A static index over positions that answers nearest, radius and box queries exactly on WGS84.
///
/// ```swift
/// let tree = KDTree(cities)
/// let five = tree.nearest(to: paris, count: 5)
/// let close = tree.within(radius: 2_000, of: paris)
/// let inBox = tree.within(box)
/// ```
///
/// Answers are positions in the collection that the tree was built from, which also order equal
/// distances. Distances are meters along the ellipsoid, those of ``Coordinate/distance(to:)`` bit
/// for bit. Every boundary is closed. A query returns what sorting or filtering the whole
/// collection would return, only faster.
///
/// The tree is a k-d tree (J. L. Bentley, Communications of the ACM 18, 1975, doi
/// 10.1145/361002.361007) over earth-centered coordinates: in space the poles and the antimeridian
/// are ordinary places. It is one block of memory without pointers, and so is its file: points lie
/// in leaf order, 32 to a leaf, and a node is eight boxes, one for each child, that hold all points
/// below. All offsets follow from the number of points alone.
///
/// It is not generic and it does not change: to add a point, build another one. Copies share the
/// block.
public struct KDTree: Sendable {
  let storage: TreeStorage
  let view: TreeView

  /// Builds the tree.
  ///
  /// The same collection gives the same tree, byte for byte, on any number of threads. Positions
  /// may be repeated and clustered.
  ///
  /// - Parameters:
  ///   - coordinates: the points, at most 4 294 967 294; queries answer with positions in this array.
  ///   - threads: how many threads work on it, one or more; one per core if nil.
  /// - Complexity: O(n log n) expected time for n points; 46 bytes a point, and 16 more while it works.
  ///   The array is freed early if it is uniquely referenced.
  public init(_ coordinates: consuming [Coordinate], threads: Int? = nil) {
    precondition(
      coordinates.count <= TreeShape.maximumPointCount,
      "A tree holds at most 4 294 967 294 coordinates."
    )
    precondition(threads ?? 1 > 0, "The number of threads must be one or more.")
    let shape = TreeShape(pointCount: coordinates.count)
    let threads = threads ?? Parallel.coreCount
    self.init(TreeBuilder.storage(of: coordinates, threads: threads), shape)
  }

  /// Makes a tree over a block that is laid out in a shape.
  init(_ storage: TreeStorage, _ shape: TreeShape) {
    self.storage = storage
    view = TreeView(storage, shape, TreeLayout(shape))
  }

  /// Builds the tree over values that have a coordinate.
  ///
  /// ```swift
  /// let tree = KDTree(cities, at: \.coordinate)
  /// let nearest = tree.nearest(to: paris, count: 5).map { cities[$0.index] }
  /// ```
  ///
  /// - Parameters:
  ///   - places: the values; queries answer with positions in this array.
  ///   - coordinate: the coordinate of a value.
  /// - Complexity: that of ``init(_:threads:)``.
  public init<Place>(_ places: [Place], at coordinate: (Place) throws -> Coordinate) rethrows {
    self.init(try places.map(coordinate))
  }

  /// The number of points.
  public var count: Int { view.shape.pointCount }

  /// The bytes that the whole tree takes.
  public var byteCount: Int { TreeLayout(view.shape).byteCount }

  /// Runs a search with a filter in the form that searches use.
  func search<Answer>(
    where allowed: BitSet?,
    _ body: (FilterMask?) throws -> Answer
  ) rethrows -> Answer {
    precondition(
      allowed.map { $0.capacity == count } ?? true,
      "The capacity of the position set must be the count of the tree."
    )
    return try withExtendedLifetime(storage) {
      guard let allowed else { return try body(nil) }
      return try allowed.withUnsafeWords { words in
        try body(FilterMask(words: words, view: view, leafBudget: allowed.leafBudget))
      }
    }
  }
}

/// The coordinates in the order of the collection that the tree was built from, bit for bit.
extension KDTree: RandomAccessCollection {
  /// The position of the first point: 0.
  public var startIndex: Int { 0 }

  /// The position after the last point: ``count``.
  public var endIndex: Int { count }

  /// The coordinate at a position of the collection that the tree was built from, bit for bit.
  ///
  /// - Parameter index: in 0..<count.
  /// - Complexity: O(1).
  public subscript(index: Int) -> Coordinate {
    precondition(
      index >= 0 && index < count,
      "An index must be in the range of the tree, 0..<count."
    )
    return withExtendedLifetime(storage) { view.coordinate(at: index) }
  }
}

/// One answer of a query with a center: a point and its distance.
///
/// Neighbors are ordered by distance, then by index.
public struct Neighbor: Sendable, Hashable, Comparable {
  /// The point's position in the collection that the tree was built from.
  public let index: Int

  /// Meters along the ellipsoid, as ``Coordinate/distance(to:)`` reports them.
  public let distance: Double

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - index: a position in the collection that the tree was built from.
  ///   - distance: meters, zero or more, not NaN.
  public init(index: Int, distance: Double) {
    self.index = index
    self.distance = distance
  }

  /// Whether an answer comes before another: nearer, or as near with the lower index.
  ///
  /// - Parameters:
  ///   - lhs: an answer.
  ///   - rhs: another answer.
  /// - Returns: true if `lhs` comes first.
  public static func < (lhs: Neighbor, rhs: Neighbor) -> Bool {
    lhs.distance < rhs.distance || (lhs.distance == rhs.distance && lhs.index < rhs.index)
  }
}

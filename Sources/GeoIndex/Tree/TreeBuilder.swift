/// Lays out a tree: points in leaf order, and boxes around them.
///
/// Each step has the same result on any thread, so the number of threads does not affect the tree.
///
/// `@unchecked Sendable`: tasks that share the memory write to parts that do not overlap.
struct TreeBuilder: @unchecked Sendable {
  private let view: TreeView
  private let records: SplitRecords
  private let threads: Int
  private let nodes: UnsafeMutablePointer<Float>
  private let leaves: UnsafeMutableRawPointer
  private let coordinates: UnsafeMutablePointer<Double>

  private var shape: TreeShape { view.shape }

  /// The number of points from which a subtree gets its own task.
  private static let minimumTaskCount = 20_000

  /// The block of a tree over some coordinates, which are released as soon as the block has them.
  static func storage(of coordinates: consuming [Coordinate], threads: Int) -> TreeStorage {
    let shape = TreeShape(pointCount: coordinates.count)
    let layout = TreeLayout(shape)
    let storage = TreeStorage(byteCount: layout.byteCount)
    guard !coordinates.isEmpty else { return storage }
    let records = SplitRecords(count: coordinates.count)
    defer { records.deallocate() }
    let builder = TreeBuilder(storage, shape, layout, records, threads)
    builder.take(coordinates)
    _ = consume coordinates
    builder.run()
    return storage
  }

  private init(
    _ storage: TreeStorage,
    _ shape: TreeShape,
    _ layout: TreeLayout,
    _ records: SplitRecords,
    _ threads: Int
  ) {
    view = TreeView(storage, shape, layout)
    self.records = records
    self.threads = threads
    nodes = (storage.base + layout.nodes.lowerBound).assumingMemoryBound(to: Float.self)
    leaves = storage.base + layout.leaves.lowerBound
    coordinates = (storage.base + layout.coordinates.lowerBound)
      .assumingMemoryBound(to: Double.self)
  }

  /// Copies the points into the block, in their order.
  private func take(_ points: [Coordinate]) {
    Parallel.mapParts(of: 0..<shape.pointCount, threads: threads) { positions in
      for position in positions {
        let point = points[position]
        records.set(position, to: ECEFPoint(point), position: position)
        coordinates[2 &* position] = point.latitude
        coordinates[2 &* position &+ 1] = point.longitude
      }
    }
  }

  private func run() {
    split(0..<shape.laneCount)
    Parallel.mapParts(of: 0..<shape.leafCount, threads: threads) { leaves in
      for leaf in leaves {
        fill(leaf)
      }
    }
    Parallel.mapParts(of: shape.firstLowestNode..<shape.nodeCount, threads: threads) { nodes in
      for node in nodes {
        enclose(node)
      }
    }
    for node in (0..<shape.firstLowestNode).reversed() {
      enclose(node)
    }
  }

  /// Divides the points under a run of lanes between its two halves, and so on.
  private func split(_ lanes: Range<Int>) {
    let leaves = shape.leaf(atLane: lanes.lowerBound)..<shape.leaf(atLane: lanes.upperBound)
    guard leaves.count > 1 else { return }
    let middle = middle(of: lanes)
    let slots = shape.slots(ofLeaves: leaves)
    let slot = min(slots.upperBound, shape.leaf(atLane: middle) * TreeShape.leafCapacity)
    records.divide(slots, at: slot, along: records.longestAxis(of: slots))
    let halves = (lanes.lowerBound..<middle, middle..<lanes.upperBound)
    guard threads > 1, slots.count > Self.minimumTaskCount else {
      split(halves.0)
      split(halves.1)
      return
    }
    Parallel.forEach(2) { split($0 == 0 ? halves.0 : halves.1) }
  }

  /// The lane where a run of lanes is halved: between children of the root, or in the middle.
  private func middle(of lanes: Range<Int>) -> Int {
    let subtree = 1 << (3 * (shape.depth - 1))
    guard lanes.count > subtree else { return lanes.lowerBound + lanes.count / 2 }
    return lanes.lowerBound + lanes.count / subtree / 2 * subtree
  }

  /// Copies the points of a leaf; a slot without a point gets NaN and position 0.
  private func fill(_ leaf: Int) {
    let points = (leaves + leaf * TreeLayout.leafStride).assumingMemoryBound(to: Double.self)
    let capacity = TreeShape.leafCapacity
    let positions = UnsafeMutableRawPointer(points + 3 * capacity)
      .assumingMemoryBound(to: UInt32.self)
    for lane in 0..<capacity {
      let slot = leaf * capacity + lane
      guard slot < shape.pointCount else {
        for axis in 0..<3 { points[axis * capacity + lane] = .nan }
        positions[lane] = 0
        continue
      }
      let position = records.position(at: slot)
      let point = ECEFPoint(view.coordinate(at: position))
      points[lane] = point.x
      points[capacity &+ lane] = point.y
      points[2 &* capacity &+ lane] = point.z
      positions[lane] = UInt32(truncatingIfNeeded: position)
    }
  }

  /// Sets the boxes of a node's lanes.
  private func enclose(_ node: Int) {
    for lane in 0..<8 {
      let child = 8 * node + shape.childOffset + lane
      var box = FloatBox.empty
      if node < shape.firstLowestNode {
        for part in 0..<8 where child > node { box.formUnion(view.box(child, part)) }
      } else if shape.lane(ofChild: child) >= 0 {
        // a root that is the lowest node has unused lanes as well
        let leaves = shape.leaves(atLane: shape.lane(ofChild: child))
        if !leaves.isEmpty { box = FloatBox(around: shape.slots(ofLeaves: leaves), of: view) }
      }
      let bounds = nodes + (48 * node + lane)
      for axis in 0..<3 {
        bounds[16 * axis] = box.low[axis]
        bounds[16 * axis + 8] = box.high[axis]
      }
    }
  }
}

/// Points while they are sorted into leaf order: x, y and z in steps of 3 mm, and the position.
///
/// Splits need no exact coordinates, only the same ones everywhere. A coordinate followed by the
/// position is a unique key, so that equal points can be divided like others.
///
/// `@unchecked Sendable`: tasks that share the memory work on ranges that do not overlap.
struct SplitRecords: @unchecked Sendable {
  private let records: UnsafeMutablePointer<SIMD4<UInt32>>

  /// Up to this count, records are sorted completely.
  private static let fewCount = 24

  init(count: Int) {
    records = .allocate(capacity: count)
  }

  func deallocate() {
    records.deallocate()
  }

  /// Sets a point.
  @inline(__always)
  func set(_ index: Int, to point: ECEFPoint, position: Int) {
    records[index] = SIMD4(
      Self.steps(point.x),
      Self.steps(point.y),
      Self.steps(point.z),
      UInt32(truncatingIfNeeded: position)
    )
  }

  /// The position of a point.
  @inline(__always)
  func position(at index: Int) -> Int { Int(records[index][3]) }

  @inline(__always)
  private static func steps(_ coordinate: Double) -> UInt32 {
    UInt32((coordinate + 6_400_000) * 335)
  }

  @inline(__always)
  private func key(_ index: Int, _ axis: Int) -> UInt64 {
    let words = UnsafeRawPointer(records + index).assumingMemoryBound(to: UInt32.self)
    return UInt64(words[axis]) &<< 32 | UInt64(words[3])
  }

  /// The axis, 0...2, along which a range is longest, judged by at most 256 of its records.
  func longestAxis(of range: Range<Int>) -> Int {
    let stride = range.count / 256 + 1
    var (low, high) = (records[range.lowerBound], records[range.lowerBound])
    for index in Swift.stride(from: range.lowerBound, to: range.upperBound, by: stride) {
      let record = records[index]
      low.replace(with: record, where: record .< low)
      high.replace(with: record, where: record .> high)
    }
    let span = high &- low
    if span[0] >= span[1], span[0] >= span[2] { return 0 }
    return span[1] >= span[2] ? 1 : 2
  }

  /// Moves the records with lesser keys along an axis before `middle`, the others from there on.
  ///
  /// - Complexity: O(n) expected for n records; no recursion.
  func divide(_ range: Range<Int>, at middle: Int, along axis: Int) {
    var (low, high) = (range.lowerBound, range.upperBound)
    while high - low > Self.fewCount {
      let pivot = pivot(of: low..<high, near: middle, axis)
      var split = partition(low..<high, before: pivot, axis)
      if split == low {
        // the pivot is the least key of all: it goes first by itself
        split = partition(low..<high, before: pivot + 1, axis)
      }
      if middle == split { return }
      if middle < split { high = split } else { low = split }
    }
    sort(low..<high, axis)
  }

  /// A key of the range whose rank is likely to be near the middle's, a little to its outside.
  ///
  /// So the first partition leaves the smaller side, and the second little more than the sample's
  /// error: about one and a half passes for a median (after R. W. Floyd and R. L. Rivest,
  /// Communications of the ACM 18, 1975, Algorithm 489).
  private func pivot(of range: Range<Int>, near middle: Int, _ axis: Int) -> UInt64 {
    let size =
      switch range.count {
      case ..<200: 5
      case ..<5_000: 15
      case ..<100_000: 63
      default: 255
      }
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size) { sample in
      let step = range.count / size
      for turn in sample.indices {
        sample[turn] = key(range.lowerBound + turn * step + step / 2, axis)
      }
      var sorted = sample
      sorted.sort()
      let share = Double(middle - range.lowerBound) / Double(range.count)
      let margin = (share * (1 - share) * Double(size)).squareRoot()
      let rank = share * Double(size) + (share < 0.5 ? margin : -margin)
      return sample[max(0, min(size - 1, Int(rank)))]
    }
  }

  /// Moves the records with keys below a pivot to the front of a range, without a branch.
  ///
  /// - Returns: where the others start.
  private func partition(_ range: Range<Int>, before pivot: UInt64, _ axis: Int) -> Int {
    var split = range.lowerBound
    for index in range {
      let isBefore = key(index, axis) < pivot
      let record = records[index]
      records[index] = records[split]
      records[split] = record
      split &+= isBefore ? 1 : 0
    }
    return split
  }

  private func sort(_ range: Range<Int>, _ axis: Int) {
    for index in range.dropFirst() {
      let record = records[index]
      let key = key(index, axis)
      var place = index
      while place > range.lowerBound, self.key(place &- 1, axis) > key {
        records[place] = records[place &- 1]
        place &-= 1
      }
      records[place] = record
    }
  }
}

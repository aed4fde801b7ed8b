/// A walk through the tree toward a point, the nearest boxes first.
///
/// Depth first with one frame per level: the bounds of a node's lanes that are yet to be entered,
/// each with its lane in the last three bits, so that one minimum gives the next lane and shows
/// whether the node is done.
struct NearestSearch {
  private let view: TreeView
  private let origin: SurfacePoint
  private let floatPoint: FloatPoint
  private let keys: UnsafeMutablePointer<SIMD4<Int32>>
  private let nodes: UnsafeMutablePointer<Int>
  private let scan: LeafScan

  private static let keysByteCount = TreeShape.greatestDepth * 2 * MemoryLayout<SIMD4<Int32>>.stride

  /// The bytes of scratch memory that a search needs.
  static let byteCount =
    keysByteCount + LeafScan.byteCount + FloatPoint.byteCount
    + TreeShape.greatestDepth * MemoryLayout<Int>.stride

  /// - Parameters:
  ///   - view: a tree of at least one point.
  ///   - origin: the point to search from.
  ///   - axialWeight: the one of the list's `limitKey`, see ``FloatPoint``.
  ///   - scratch: `byteCount` bytes, aligned to 16.
  @inline(__always)
  init(
    _ view: TreeView,
    from origin: SurfacePoint,
    axialWeight: Double = 1,
    scratch: UnsafeMutableRawPointer
  ) {
    self.view = view
    self.origin = origin
    keys = scratch.assumingMemoryBound(to: SIMD4<Int32>.self)
    var free = scratch + Self.keysByteCount
    scan = LeafScan(scratch: free)
    free += LeafScan.byteCount
    floatPoint = FloatPoint(origin, axialWeight: axialWeight, scratch: free)
    free += FloatPoint.byteCount
    nodes = free.assumingMemoryBound(to: Int.self)
  }

  /// Offers the list each leaf that its limit does not exclude.
  @inline(never)
  func run(_ list: inout some CandidateList, _ probe: inout some SearchProbe) {
    var level = 0
    var node = 0
    while true {
      probe.visitNode(node, of: view.shape)
      var (low, high) = bounds(of: node)
      while true {
        let best = Self.least(low, high)
        guard best <= list.limitKey else {
          // nothing here is near enough: back to the parent
          level &-= 1
          if level < 0 { return }
          node = nodes[level]
          (low, high) = (keys[2 &* level], keys[2 &* level &+ 1])
          continue
        }
        Self.remove(best, from: &low)
        Self.remove(best, from: &high)
        let child = 8 &* node &+ view.shape.childOffset &+ Int(best & 7)
        if probe.isExhausted { return }
        probe.enterChild()
        if node < view.shape.firstLowestNode {
          nodes[level] = node
          (keys[2 &* level], keys[2 &* level &+ 1]) = (low, high)
          level &+= 1
          node = child
          break
        }
        for leaf in view.shape.leaves(atLane: view.shape.lane(ofChild: child)) {
          probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
          list.look(at: view.points(ofLeaf: leaf), of: leaf, from: origin, by: scan)
        }
      }
    }
  }

  /// The bounds of a node's lanes as keys.
  @inline(__always)
  private func bounds(of node: Int) -> (SIMD4<Int32>, SIMD4<Int32>) {
    let low = NodeLanes(view.nodes, node: node, half: 0).nearestSquared(to: floatPoint)
    let high = NodeLanes(view.nodes, node: node, half: 1).nearestSquared(to: floatPoint)
    // without the sign, which only a NaN from a damaged file has: such a key could not be removed
    return (
      (unsafeBitCast(low, to: SIMD4<Int32>.self) & 0x7FFF_FFF8) | SIMD4(0, 1, 2, 3),
      (unsafeBitCast(high, to: SIMD4<Int32>.self) & 0x7FFF_FFF8) | SIMD4(4, 5, 6, 7)
    )
  }

  @inline(__always)
  private static func least(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> Int32 {
    let four = low.replacing(with: high, where: high .< low)
    let two = min(four[0], four[1])
    return min(two, min(four[2], four[3]))
  }

  /// Replaces a key by one that is beyond every limit.
  @inline(__always)
  private static func remove(_ key: Int32, from keys: inout SIMD4<Int32>) {
    let isKey: SIMDMask<SIMD4<Int32>> = keys .== SIMD4<Int32>(repeating: key)
    keys |= unsafeBitCast(isKey, to: SIMD4<Int32>.self) & Int32.max
  }
}

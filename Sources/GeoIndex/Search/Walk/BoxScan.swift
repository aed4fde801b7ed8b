/// Tests the points of a leaf that a box's edge cuts.
struct BoxScan {
  private let view: TreeView
  private let region: BoxRegion

  /// Meters around every edge within which the degrees decide: far more than rounding needs.
  private static let guardBand = 0.001

  init(_ view: TreeView, _ region: BoxRegion) {
    self.view = view
    self.region = region
  }

  /// A bit for each point of a leaf that is in the box.
  ///
  /// Most leaves are cut by one edge, and then only that edge is tested.
  @inline(__always)
  func bits(of cut: CutPlace) -> UInt32 {
    let points = view.points(ofLeaf: cut.number)
    let found =
      switch cut.edges {
      case BoxRegion.southern: bits { points[2 &* TreeView.pairCount &+ $0] - region.bottom }
      case BoxRegion.northern: bits { region.top - points[2 &* TreeView.pairCount &+ $0] }
      case BoxRegion.western: bits { depth(points, $0, region.eastOfWest) }
      case BoxRegion.eastern: bits { depth(points, $0, region.westOfEast) }
      default: bits(inAll: points)
      }
    return found.isSure ? found.inside : decided(cut.number)
  }

  /// Bits of the points inside all edges.
  @inline(never)
  private func bits(inAll points: UnsafePointer<SIMD2<Double>>) -> (inside: UInt32, isSure: Bool) {
    switch region.wedge {
    case .wholeCircle: bits { slabDepth(points, $0) }
    case .intersection:
      bits { pair in
        let slab = slabDepth(points, pair)
        let west = depth(points, pair, region.eastOfWest)
        return Self.lesser(slab, Self.lesser(west, depth(points, pair, region.westOfEast)))
      }
    case .union:
      bits { pair in
        let slab = slabDepth(points, pair)
        let west = depth(points, pair, region.eastOfWest)
        return Self.lesser(slab, Self.greater(west, depth(points, pair, region.westOfEast)))
      }
    }
  }

  /// Bits of the points inside, which are sure unless a point is near an edge.
  ///
  /// - Parameter depth: how deep inside the box a pair of points lies, meters.
  /// - Returns: the bits, and whether they are sure.
  @inline(__always)
  private func bits(_ depth: (Int) -> SIMD2<Double>) -> (inside: UInt32, isSure: Bool) {
    var inside = SIMD2<Int64>.zero
    var least = SIMD2<Double>(repeating: .infinity)
    var weights = SIMD2<Int64>(1, 2)
    for pair in 0..<TreeView.pairCount {
      let depth = depth(pair)
      let isInside: SIMDMask<SIMD2<Int64>> = SIMD2<Double>.zero .<= depth
      let bits = unsafeBitCast(depth, to: SIMD2<Int64>.self) & Int64.max
      // no less than the least if there is no point, whose depth is NaN
      least = Self.lesser(least, unsafeBitCast(bits, to: SIMD2<Double>.self))
      inside |= unsafeBitCast(isInside, to: SIMD2<Int64>.self) & weights
      weights = weights &<< 2
    }
    let isSure = least[0] > Self.guardBand && least[1] > Self.guardBand
    return (UInt32(truncatingIfNeeded: inside[0] | inside[1]), isSure)
  }

  /// How deep a pair of points lies in the slab.
  @inline(__always)
  private func slabDepth(_ points: UnsafePointer<SIMD2<Double>>, _ pair: Int) -> SIMD2<Double> {
    let z = points[2 &* TreeView.pairCount &+ pair]
    return Self.lesser(z - region.bottom, region.top - z)
  }

  /// How deep a pair of points lies in a half-space.
  @inline(__always)
  private func depth(
    _ points: UnsafePointer<SIMD2<Double>>,
    _ pair: Int,
    _ space: HalfSpace
  ) -> SIMD2<Double> {
    points[pair] * space.normalX + points[TreeView.pairCount &+ pair] * space.normalY
  }

  /// The points of a leaf whose degrees are in the box.
  @inline(never)
  private func decided(_ leaf: Int) -> UInt32 {
    var inside: UInt32 = 0
    for (lane, slot) in view.shape.slots(ofLeaves: leaf..<leaf + 1).enumerated() {
      let coordinate = view.coordinate(at: view.position(atSlot: slot))
      if region.box.contains(coordinate) { inside |= 1 << UInt32(lane) }
    }
    return inside
  }

  @inline(__always)
  private static func lesser(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    let isLess: SIMDMask<SIMD2<Int64>> = other .< one
    return one.replacing(with: other, where: isLess)
  }

  @inline(__always)
  private static func greater(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    let isLess: SIMDMask<SIMD2<Int64>> = one .< other
    return one.replacing(with: other, where: isLess)
  }
}

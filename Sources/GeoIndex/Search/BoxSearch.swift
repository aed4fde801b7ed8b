/// A bounding box as a region of space: a slab along the axis and a wedge around it.
///
/// The slab lies between two planes z = constant, since z rises strictly with latitude. The wedge
/// is bounded by the half-planes of the western and eastern meridians: the intersection of the two
/// half-spaces up to 180° of width, their union beyond. All of this is linear in x, y and z, so the
/// region can decide whether a node's box is outside, inside, or neither.
///
/// Both answers are proofs, with a margin far greater than rounding. Points on an edge, points
/// of the axis (the poles, which have no longitude) and those of the two meridians are always
/// neither, and ``BoundingBox/contains(_:)`` decides them on the degrees.
struct BoxRegion: SearchRegion {
  enum Wedge {
    case wholeCircle
    case intersection
    case union
  }

  let box: BoundingBox
  let wedge: Wedge

  /// The heights of the southern and northern edges, meters; infinite at the poles.
  let bottom: Double
  let top: Double

  let eastOfWest: HalfSpace
  let westOfEast: HalfSpace

  private let slab: FloatSlab

  /// The margin in meters of a proof with 32-bit floats: three roundings of 0.4 m, and more.
  fileprivate static let guardBand: Float = 4

  init(_ box: BoundingBox) {
    self.box = box
    let latitudes = AnglePair(degrees: SIMD2(box.south, box.north))
    bottom = box.south == -90 ? -.infinity : Ellipsoid.MeridianPoint(latitudes.first).z
    top = box.north == 90 ? .infinity : Ellipsoid.MeridianPoint(latitudes.second).z
    slab = FloatSlab(bottom: Float(bottom), top: Float(top))
    let longitudes = AnglePair(degrees: SIMD2(box.west, box.east))
    let (west, east) = (longitudes.first, longitudes.second)
    eastOfWest = HalfSpace(normalX: -west.sine, normalY: west.cosine)
    westOfEast = HalfSpace(normalX: east.sine, normalY: -east.cosine)
    let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    // not by the width: that of a box with a tiny gap rounds to 360
    let isWholeCircle = box.west == -180 && box.east == 180
    wedge = isWholeCircle ? .wholeCircle : width > 180 ? .union : .intersection
  }

  var edges: Edges { wedge == .wholeCircle ? Self.slabEdges : [Self.slabEdges, Self.wedgeEdges] }

  static let southern = Edges(rawValue: 1)
  static let northern = Edges(rawValue: 2)
  static let western = Edges(rawValue: 4)
  static let eastern = Edges(rawValue: 8)
  private static let slabEdges: Edges = [southern, northern]
  private static let wedgeEdges: Edges = [western, eastern]

  @inline(__always)
  func relation(of view: TreeView, node: Int, cutBy edges: Edges) -> LaneRelation {
    let low = NodeLanes(view.nodes, node: node, half: 0)
    let high = NodeLanes(view.nodes, node: node, half: 1)
    if edges.isDisjoint(with: Self.wedgeEdges) {
      return LaneRelation(slab.relation(low), slab.relation(high))
    }
    let (one, other) = (wedgeRelation(low), wedgeRelation(high))
    if edges.isDisjoint(with: Self.slabEdges) { return LaneRelation(one, other) }
    return LaneRelation(Self.both(slab.relation(low), one), Self.both(slab.relation(high), other))
  }

  @inline(__always)
  private static func both(
    _ one: LaneRelation.Half,
    _ other: LaneRelation.Half
  ) -> LaneRelation.Half {
    LaneRelation.Half(touched: one.touched & other.touched, cuts: one.cuts | other.cuts)
  }

  /// The relation of four lanes to the wedge.
  @inline(never)
  private func wedgeRelation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let one = eastOfWest.relation(lanes)
    let other = westOfEast.relation(lanes)
    let weights = LaneRelation.weights
    if wedge == .intersection {
      return LaneRelation.Half(
        touched: one.touched & other.touched,
        cuts: ((weights & ~one.inside) &<< 16) | ((weights & ~other.inside) &<< 24)
      )
    }
    // inside one is inside the union; if one is not touched, the other decides
    let open = weights & ~(one.inside | other.inside)
    return LaneRelation.Half(
      touched: one.touched | other.touched,
      cuts: ((open & one.touched) &<< 16) | ((open & other.touched) &<< 24)
    )
  }

  @inline(__always)
  fileprivate static func mask(
    _ one: SIMD4<Float>,
    notAbove other: SIMD4<Float>
  ) -> SIMD4<Int32> {
    let isNotAbove: SIMDMask<SIMD4<Int32>> = one .<= other
    return unsafeBitCast(isNotAbove, to: SIMD4<Int32>.self)
  }
}

/// The points between two planes across the axis, in 32-bit floats.
private struct FloatSlab {
  /// The planes, each moved outward and inward by the guard band.
  let outerBottom: SIMD4<Float>
  let innerBottom: SIMD4<Float>
  let outerTop: SIMD4<Float>
  let innerTop: SIMD4<Float>

  init(bottom: Float, top: Float) {
    outerBottom = SIMD4(repeating: bottom - BoxRegion.guardBand)
    innerBottom = SIMD4(repeating: bottom + BoxRegion.guardBand)
    outerTop = SIMD4(repeating: top + BoxRegion.guardBand)
    innerTop = SIMD4(repeating: top - BoxRegion.guardBand)
  }

  /// The relation of four lanes to the slab.
  @inline(never)
  func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let (low, high) = (lanes[.z, .low], lanes[.z, .high])
    var touched = BoxRegion.mask(low, notAbove: outerTop)
    // an empty lane is inside out
    touched &= BoxRegion.mask(outerBottom, notAbove: high) & BoxRegion.mask(low, notAbove: high)
    let isAbove = BoxRegion.mask(innerBottom, notAbove: low)
    let isBelow = BoxRegion.mask(high, notAbove: innerTop)
    let weights = LaneRelation.weights
    return LaneRelation.Half(
      touched: touched,
      cuts: (weights & ~isAbove) | ((weights & ~isBelow) &<< 8)
    )
  }
}

/// The points on one side of a plane through the axis.
struct HalfSpace {
  /// The unit normal, pointing inward; it has no part along the axis.
  let normalX: Double
  let normalY: Double

  /// The normal in 32-bit floats.
  private let x: SIMD4<Float>
  private let y: SIMD4<Float>

  /// The end of a lane along each axis that lies farthest inward.
  private let farEndX: NodeLanes.End
  private let farEndY: NodeLanes.End

  init(normalX: Double, normalY: Double) {
    self.normalX = normalX
    self.normalY = normalY
    x = SIMD4(repeating: Float(normalX))
    y = SIMD4(repeating: Float(normalY))
    farEndX = normalX < 0 ? .low : .high
    farEndY = normalY < 0 ? .low : .high
  }

  /// Where four lanes are, at least the guard band away from the plane: per lane all bits or none.
  ///
  /// Neither for an empty lane, whose numbers here are negative infinity or NaN.
  @inline(__always)
  fileprivate func relation(
    _ lanes: NodeLanes
  ) -> (touched: SIMD4<Int32>, inside: SIMD4<Int32>) {
    let guardBand = SIMD4<Float>(repeating: BoxRegion.guardBand)
    let farthest = x * lanes[.x, farEndX] + y * lanes[.y, farEndY]
    let nearest = x * lanes[.x, farEndX.other] + y * lanes[.y, farEndY.other]
    return (
      BoxRegion.mask(-guardBand, notAbove: farthest),
      BoxRegion.mask(guardBand, notAbove: nearest)
    )
  }
}

/// A search for the points in a box: the list or the count of what a walk over the tree found.
struct BoxQuery {
  let view: TreeView
  let region: BoxRegion
  let allowed: FilterMask?

  /// The positions of the points in the box, in no order.
  @inline(__always)
  func list(_ probe: inout some SearchProbe) -> [Int] {
    withUnsafeTemporaryAllocation(byteCount: RegionSearch.byteCount, alignment: 16) { memory in
      guard let scratch = memory.baseAddress else { return [] }
      let found = RegionSearch(view).leaves(in: region, scratch: scratch, &probe)
      defer { found.deallocate() }
      let scan = BoxScan(view, region)
      let room = found.leafCount * TreeShape.leafCapacity
      return [Int](unsafeUninitializedCapacity: room) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        for index in 0..<found.runCount {
          append(found.run(index), to: base, &count)
        }
        for index in 0..<found.cutCount {
          let cut = found.cutLeaf(index)
          let leaf = cut.number
          probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
          append(scan.bits(of: cut), of: leaf, to: base, &count)
        }
      }
    }
  }

  /// The number of points in the box.
  @inline(__always)
  func count(_ probe: inout some SearchProbe) -> Int {
    withUnsafeTemporaryAllocation(byteCount: RegionSearch.byteCount, alignment: 16) { memory in
      guard let scratch = memory.baseAddress else { return 0 }
      let found = RegionSearch(view).leaves(in: region, scratch: scratch, &probe)
      defer { found.deallocate() }
      let scan = BoxScan(view, region)
      var count = allowed?.count(in: found) ?? found.pointCount(in: view.shape)
      for index in 0..<found.cutCount {
        let cut = found.cutLeaf(index)
        let leaf = cut.number
        probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
        let bits = scan.bits(of: cut)
        count &+= (allowed?.restrict(bits, leaf: leaf) ?? bits).nonzeroBitCount
      }
      return count
    }
  }

  /// Appends the positions of a run of leaves.
  @inline(__always)
  private func append(
    _ leaves: Range<Int>,
    to base: UnsafeMutablePointer<Int>,
    _ count: inout Int
  ) {
    for leaf in leaves {
      let size = view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count
      let isWhole = allowed == nil && size == TreeShape.leafCapacity
      if isWhole,
        Self.copy(view.positions(ofLeaf: leaf), below: view.shape.pointCount, to: base + count)
      {
        count &+= size
      } else {
        append(UInt32.max >> UInt32(TreeShape.leafCapacity - size), of: leaf, to: base, &count)
      }
    }
  }

  /// Copies the positions of a full leaf; false if one is out of range, as in a damaged file.
  ///
  /// Not inlined: alone, the loop is compiled to four positions at a time.
  @inline(never)
  private static func copy(
    _ positions: UnsafePointer<UInt32>,
    below bound: Int,
    to base: UnsafeMutablePointer<Int>
  ) -> Bool {
    let greatest = UInt32(truncatingIfNeeded: bound &- 1)
    var wild: UInt32 = 0
    for lane in 0..<TreeShape.leafCapacity {
      let position = positions[lane]
      wild |= position > greatest ? 1 : 0
      base[lane] = Int(position)
    }
    return wild == 0
  }

  /// Appends the positions of some of a leaf's points.
  @inline(__always)
  private func append(
    _ bits: UInt32,
    of leaf: Int,
    to base: UnsafeMutablePointer<Int>,
    _ count: inout Int
  ) {
    var rest = allowed?.restrict(bits, leaf: leaf) ?? bits
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      base[count] = view.position(atSlot: leaf &* TreeShape.leafCapacity &+ lane)
      count &+= 1
    }
  }
}

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
  func bits(of cut: PartialLeaf) -> UInt32 {
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

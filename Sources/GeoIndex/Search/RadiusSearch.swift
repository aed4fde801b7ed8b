/// A search for the points within a radius: the list or the count of what a walk over the tree found.
struct RadiusQuery {
  let view: TreeView
  let origin: ECEFPoint

  /// Meters, zero or more, or infinity.
  let radius: Double

  let allowed: FilterMask?

  /// Whether no point within the radius has a chord for which the change of curvature counts.
  private var isNear: Bool { radius * radius < Geodesic.leastChangeSquared }

  /// What a search in the circle needs.
  private struct Walk {
    let ball: BallRegion
    let leaves: RegionLeaves
    let scan: LeafScan
    let distances: LeafDistances
  }

  /// Finds the leaves in the circle.
  @inline(__always)
  private func walk<Answer, Probe: SearchProbe>(
    _ probe: inout Probe,
    _ body: (Walk, inout Probe) -> Answer
  ) -> Answer {
    let byteCount =
      RegionSearch.byteCount + FloatPoint.byteCount + LeafScan.byteCount + LeafDistances.byteCount
    return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { memory in
      guard let scratch = memory.baseAddress else { preconditionFailure("Scratch has an address.") }
      var free = scratch + RegionSearch.byteCount
      let ball = BallRegion(radius: radius, of: origin, scratch: free)
      free += FloatPoint.byteCount
      let leaves = RegionSearch(view).leaves(in: ball, scratch: scratch, &probe)
      defer { leaves.deallocate() }
      let scan = LeafScan(scratch: free)
      let distances = LeafDistances(scratch: free + LeafScan.byteCount)
      return body(Walk(ball: ball, leaves: leaves, scan: scan, distances: distances), &probe)
    }
  }

  /// The points within the radius, in no order.
  @inline(__always)
  func list(_ probe: inout some SearchProbe) -> [Neighbor] {
    walk(&probe) { walk, probe in
      let room = walk.leaves.leafCount * TreeShape.leafCapacity
      return [Neighbor](unsafeUninitializedCapacity: room) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        for index in 0..<walk.leaves.runCount {
          for leaf in walk.leaves.run(index) {
            append(.max, of: leaf, isWhole: true, walk.distances, to: base, &count, &probe)
          }
        }
        for index in 0..<walk.leaves.cutCount {
          let leaf = walk.leaves.cutLeaf(index).number
          let points = view.points(ofLeaf: leaf)
          let bits = walk.scan.measure(points, from: origin, limit: walk.ball.touchedSquared)
          probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
          append(bits, of: leaf, isWhole: false, walk.distances, to: base, &count, &probe)
        }
      }
    }
  }

  /// The number of points within the radius.
  @inline(__always)
  func count(_ probe: inout some SearchProbe) -> Int {
    walk(&probe) { walk, probe in
      var count = allowed?.count(in: walk.leaves) ?? walk.leaves.pointCount(in: view.shape)
      for index in 0..<walk.leaves.cutCount {
        count &+= points(inCut: walk.leaves.cutLeaf(index).number, walk, &probe).nonzeroBitCount
      }
      return count
    }
  }

  /// The positions of the points within the radius, in no order.
  func positions() -> [UInt32] {
    var probe = NoProbe()
    return walk(&probe) { walk, probe in
      let room = walk.leaves.leafCount * TreeShape.leafCapacity
      return [UInt32](unsafeUninitializedCapacity: room) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        func append(_ bits: UInt32, of leaf: Int) {
          var rest = bits
          while rest != 0 {
            let slot = leaf &* TreeShape.leafCapacity &+ rest.trailingZeroBitCount
            base[count] = UInt32(truncatingIfNeeded: view.position(atSlot: slot))
            count &+= 1
            rest &= rest &- 1
          }
        }
        for index in 0..<walk.leaves.runCount {
          for leaf in walk.leaves.run(index) {
            // the slots of the last leaf that have no point are its highest
            let empty = TreeShape.leafCapacity - view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count
            let bits = UInt32.max &>> UInt32(empty)
            append(allowed?.restrict(bits, leaf: leaf) ?? bits, of: leaf)
          }
        }
        for index in 0..<walk.leaves.cutCount {
          let leaf = walk.leaves.cutLeaf(index).number
          append(points(inCut: leaf, walk, &probe), of: leaf)
        }
      }
    }
  }

  /// A bit for each of a leaf's points that are within the radius.
  @inline(__always)
  private func points(
    inCut leaf: Int,
    _ walk: Walk,
    _ probe: inout some SearchProbe
  ) -> UInt32 {
    var inside = walk.scan.measure(
      view.points(ofLeaf: leaf),
      from: origin,
      limit: walk.ball.insideSquared
    )
    var open = walk.scan.bits(within: walk.ball.touchedSquared) & ~inside
    probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
    if let allowed {
      inside = allowed.restrict(inside, leaf: leaf)
      open = allowed.restrict(open, leaf: leaf)
    }
    while open != 0 {
      let slot = leaf &* TreeShape.leafCapacity &+ open.trailingZeroBitCount
      if walk.ball.contains(slot, of: view, &probe) { inside |= open & (0 &- open) }
      open &= open &- 1
    }
    return inside
  }

  /// Appends those of some of a leaf's points that are within the radius, with their distances.
  @inline(__always)
  private func append(
    _ bits: UInt32,
    of leaf: Int,
    isWhole: Bool,
    _ distances: LeafDistances,
    to base: UnsafeMutablePointer<Neighbor>,
    _ count: inout Int,
    _ probe: inout some SearchProbe
  ) {
    let bits = allowed?.restrict(bits, leaf: leaf) ?? bits
    let points = view.points(ofLeaf: leaf)
    // of a leaf taken whole, the bits of slots without a point too
    let slotCount = view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count
    probe.solveDistances(
      (bits & (UInt32.max &>> UInt32(TreeShape.leafCapacity &- slotCount))).nonzeroBitCount
    )
    var isSound = true
    for half in 0..<2 where bits & (LeafDistances.halfBits &<< UInt32(16 &* half)) != 0 {
      if isNear {
        let areNumbers = distances.measureNear(half: half, of: points, from: origin)
        isSound = isSound && areNumbers
      } else if distances.measure(half: half, of: points, from: origin) > ChordBound.greatestNear {
        appendFar(bits, of: leaf, to: base, &count, &probe)
        return
      }
    }
    if isWhole, isSound, bits == .max, copy(leaf, distances, to: base + count) {
      count &+= TreeShape.leafCapacity
    } else {
      count &+= copy(bits, of: leaf, distances, to: base + count)
    }
  }

  /// Copies all points of a full leaf; false if a position is out of range, as in a damaged file.
  ///
  /// Not inlined: alone, the loop is compiled without a branch.
  @inline(never)
  private func copy(
    _ leaf: Int,
    _ distances: LeafDistances,
    to base: UnsafeMutablePointer<Neighbor>
  ) -> Bool {
    let positions = view.positions(ofLeaf: leaf)
    let greatest = UInt32(truncatingIfNeeded: view.shape.pointCount &- 1)
    var wild: UInt32 = 0
    for lane in 0..<TreeShape.leafCapacity {
      wild |= positions[lane] > greatest ? 1 : 0
      base[lane] = Neighbor(index: Int(positions[lane]), distance: distances[lane])
    }
    return wild == 0
  }

  /// Copies the points of a leaf that are within the radius.
  ///
  /// - Returns: the number of copied points.
  @inline(never)
  private func copy(
    _ bits: UInt32,
    of leaf: Int,
    _ distances: LeafDistances,
    to base: UnsafeMutablePointer<Neighbor>
  ) -> Int {
    let positions = view.positions(ofLeaf: leaf)
    let greatest = UInt32(truncatingIfNeeded: view.shape.pointCount &- 1)
    let radius = radius
    var (rest, count) = (bits, 0)
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let index = Int(min(positions[lane], greatest))
      base[count] = Neighbor(index: index, distance: distances[lane])
      // never for a slot without a point, whose distance is NaN
      count &+= distances[lane] <= radius ? 1 : 0
    }
    return count
  }

  /// The same if some of the points are beyond the chord formula.
  @inline(never)
  private func appendFar(
    _ bits: UInt32,
    of leaf: Int,
    to base: UnsafeMutablePointer<Neighbor>,
    _ count: inout Int,
    _ probe: inout some SearchProbe
  ) {
    for lane in 0..<view.shape.slots(ofLeaves: leaf..<leaf + 1).count
    where bits & (1 << UInt32(lane)) != 0 {
      let slot = leaf * TreeShape.leafCapacity + lane
      let point = view.point(atSlot: slot)
      let chord = Chord(x: point.x - origin.x, y: point.y - origin.y, z: point.z - origin.z)
      let index = view.position(atSlot: slot)
      let isFar = chord.squared > ChordBound.greatestNear
      probe.solveLongGeodesics(isFar ? 1 : 0)
      let distance =
        isFar
        ? farDistance(to: index)
        : Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z)
      guard distance <= radius else { continue }
      base[count] = Neighbor(index: index, distance: distance)
      count += 1
    }
  }

  @inline(never)
  private func farDistance(to position: Int) -> Double {
    GeodesicInverse(from: origin.coordinate, to: view.coordinate(at: position)).distance
  }
}

/// All points within a radius, as far as straight chords can prove it.
struct BallRegion: SearchRegion {
  let origin: ECEFPoint
  let radius: Double

  var edges: Edges { Edges(rawValue: 1) }

  /// The squared chord above which a point is certainly outside, square meters; finite.
  let touchedSquared: Double

  /// The squared chord up to which a point is certainly inside; negative if nothing is certain.
  let insideSquared: Double

  private let reach: Reach
  private let floatPoint: FloatPoint
  private let touchedLimit: Float
  private let insideLimit: Float

  /// - Parameters:
  ///   - radius: meters, zero or more, or infinity.
  ///   - origin: the center.
  ///   - scratch: `FloatPoint.byteCount` bytes, aligned to 16, which must outlive the value.
  @inline(__always)
  init(radius: Double, of origin: ECEFPoint, scratch: UnsafeMutableRawPointer) {
    self.origin = origin
    self.radius = radius
    reach = Reach(radius)
    touchedSquared = reach.finiteChordSquared
    insideSquared = min(Reach.certainChordSquared(within: radius), 2e14)
    floatPoint = FloatPoint(origin, axialWeight: 1, scratch: scratch)
    // by more than the rounding of a lane's bound
    touchedLimit = Float(touchedSquared) * (1 + 0x1p-20) + Float.leastNormalMagnitude
    insideLimit = Float(insideSquared) * (1 - 0x1p-20)
  }

  @inline(__always)
  func relation(of view: TreeView, node: Int, cutBy edges: Edges) -> LaneRelation {
    LaneRelation(
      relation(NodeLanes(view.nodes, node: node, half: 0)),
      relation(NodeLanes(view.nodes, node: node, half: 1))
    )
  }

  @inline(__always)
  private func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let touched = Self.mask(lanes.nearestSquared(to: floatPoint), within: touchedLimit)
    let inside = Self.mask(lanes.farthestSquared(to: floatPoint), within: insideLimit)
    return LaneRelation.Half(touched: touched, cuts: LaneRelation.weights & ~inside)
  }

  @inline(__always)
  private static func mask(_ squared: SIMD4<Float>, within limit: Float) -> SIMD4<Int32> {
    let isWithin: SIMDMask<SIMD4<Int32>> = squared .<= SIMD4<Float>(repeating: limit)
    return unsafeBitCast(isWithin, to: SIMD4<Int32>.self)
  }

  /// Whether a point is inside, if its chord does not decide.
  func contains(_ slot: Int, of view: TreeView, _ probe: inout some SearchProbe) -> Bool {
    let point = view.point(atSlot: slot)
    let chord = Chord(x: point.x - origin.x, y: point.y - origin.y, z: point.z - origin.z)
    if reach.rulesOut(chord) { return false }
    probe.solveDistances(1)
    if chord.squared <= ChordBound.greatestNear {
      return Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z) <= radius
    }
    if chord.squared <= EstimateRuler.greatestChordSquared {
      let estimate = GeodesicEstimate(from: origin, x: point.x, y: point.y, z: point.z).distance
      let margin = EstimateRuler.margin(at: estimate)
      if (estimate - radius).magnitude > margin { return estimate < radius }
      probe.solveDistances(1)
    }
    probe.solveLongGeodesics(1)
    let end = view.coordinate(at: view.position(atSlot: slot))
    return GeodesicInverse(from: origin.coordinate, to: end).distance <= radius
  }
}

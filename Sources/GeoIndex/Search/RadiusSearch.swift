extension RegionQuery<BallRegion> {
  /// The points within the radius with their distances.
  @inline(__always)
  func list(sorted isSorted: Bool, _ probe: inout some SearchProbe) -> [Neighbor] {
    var neighbors = withLeaves(&probe) { found, probe in
      let room = found.leafCount * TreeShape.leafCapacity
      return [Neighbor](unsafeUninitializedCapacity: room) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        found.visit { leaf, isWhole in
          let bits =
            isWhole
            ? view.points(ofLeaf: leaf, where: allowed)
            : region.candidates(ofLeaf: leaf, in: view, where: allowed, &probe)
          if let added = copy(bits, of: leaf, to: base + count) {
            probe.solveDistances(bits.nonzeroBitCount)
            count &+= added
            return
          }
          view.appendNeighbors(
            in: SetBits(bits).lazy.map { leaf &* TreeShape.leafCapacity &+ $0 },
            from: region.origin,
            within: region.radius,
            to: base,
            &count,
            &probe
          )
        }
      }
    }
    if isSorted { neighbors.withUnsafeMutableBufferPointer { NeighborSort.sort($0) } }
    return neighbors
  }

  /// Copies those of some of a leaf's points that are within the radius, with their distances.
  ///
  /// - Returns: how many; nil if some may be beyond the chord formula.
  @inline(never)
  private func copy(
    _ bits: UInt32,
    of leaf: Int,
    to base: UnsafeMutablePointer<Neighbor>
  ) -> Int? {
    let distances = region.distances
    for half in 0..<2 where bits & (0xFFFF &<< UInt32(16 &* half)) != 0 {
      let points = view.points(ofLeaf: leaf)
      distances.measure(half: half, of: points, from: region.origin)
      if region.isNear { continue }
      let maximum = distances.correct(half: half, of: points, from: region.origin)
      if maximum > ChordLimits.maximumNearSquared { return nil }
    }
    let positions = view.positions(ofLeaf: leaf)
    if bits == .max, copyAll(positions, distances, to: base) { return TreeShape.leafCapacity }
    let last = UInt32(truncatingIfNeeded: view.shape.pointCount &- 1)
    let radius = region.radius
    var count = 0
    for lane in SetBits(bits) {
      // a damaged file may hold any number here, and distances that are NaN
      let index = Int(min(positions[lane], last))
      base[count] = Neighbor(index: index, distance: distances[lane])
      count &+= distances[lane] <= radius ? 1 : 0
    }
    return count
  }

  /// Copies a full leaf in a loop without branches; false unless all points belong to the answer.
  @inline(never)
  private func copyAll(
    _ positions: UnsafePointer<UInt32>,
    _ distances: LeafDistances,
    to base: UnsafeMutablePointer<Neighbor>
  ) -> Bool {
    let last = UInt32(truncatingIfNeeded: view.shape.pointCount &- 1)
    var beyond: UInt32 = 0
    var areWithin = SIMD2<Int64>(repeating: -1)
    for pair in 0..<TreeView.pairCount {
      let (one, other) = (positions[2 &* pair], positions[2 &* pair &+ 1])
      beyond |= (one > last ? 1 : 0) | (other > last ? 1 : 0)
      let two = distances.pairs[pair]
      let isWithin: SIMDMask<SIMD2<Int64>> = two .<= SIMD2<Double>(repeating: region.radius)
      areWithin &= unsafeBitCast(isWithin, to: SIMD2<Int64>.self)
      base[2 &* pair] = Neighbor(index: Int(one), distance: two[0])
      base[2 &* pair &+ 1] = Neighbor(index: Int(other), distance: two[1])
    }
    return beyond == 0 && areWithin[0] & areWithin[1] != 0
  }
}

/// The distances from a point to the points of a leaf by the chord formula.
///
/// Loops without branches for four distances at a time: `geoq bench --radius 1km` takes a sixth less
/// time than with ``TreeView/neighbors(_:_:from:_:)``. Built for AVX2 (`make build CPU=haswell`), four
/// take as long as two: 0.74 of the time, at 5 km 0.67.
struct LeafDistances {
  let pairs: UnsafeMutablePointer<SIMD2<Double>>

  /// The bytes of scratch memory that the distances need.
  static let byteCount = TreeShape.leafCapacity * MemoryLayout<Double>.stride

  /// - Parameter scratch: `byteCount` bytes, aligned to 32.
  init(scratch: UnsafeMutableRawPointer) {
    pairs = scratch.assumingMemoryBound(to: SIMD2<Double>.self)
  }

  /// Meters to the point in a lane, 0..<32.
  @inline(__always)
  subscript(lane: Int) -> Double {
    UnsafeRawPointer(pairs).assumingMemoryBound(to: Double.self)[lane]
  }

  /// Computes the distances to the first or the second half of a leaf's points, correct for chords
  /// up to 25 km.
  @inline(never)
  func measure(half: Int, of points: UnsafePointer<SIMD2<Double>>, from origin: ECEFPoint) {
    let quads = UnsafeMutableRawPointer(pairs).assumingMemoryBound(to: SIMD4<Double>.self)
    // a leaf starts at a multiple of 32 bytes
    let points = UnsafeRawPointer(points).assumingMemoryBound(to: SIMD4<Double>.self)
    let count = TreeView.pairCount / 2
    for quad in half &* 4..<half &* 4 &+ 4 {
      let (y, z) = (count &+ quad, 2 &* count &+ quad)
      let chords = Chords(from: origin, x: points[quad], y: points[y], z: points[z])
      quads[quad] = Geodesic.distancesAtConstantCurvature(chords)
    }
  }

  /// Corrects those of longer chords.
  ///
  /// - Returns: the greatest squared chord, square meters.
  @inline(never)
  func correct(
    half: Int,
    of points: UnsafePointer<SIMD2<Double>>,
    from origin: ECEFPoint
  ) -> Double {
    var maximum = SIMD2<Double>.zero
    for pair in half &* 8..<half &* 8 &+ 8 {
      maximum = greater(maximum, chords(points, pair, origin).squared)
    }
    let longest = max(maximum[0], maximum[1])
    guard longest > Geodesic.minimumChangeSquared else { return longest }
    for pair in half &* 8..<half &* 8 &+ 8 {
      pairs[pair] = Geodesic.nearDistances(chords(points, pair, origin))
    }
    return longest
  }

  @inline(__always)
  private func chords(
    _ points: UnsafePointer<SIMD2<Double>>,
    _ pair: Int,
    _ origin: ECEFPoint
  ) -> Chords<SIMD2<Double>> {
    let (y, z) = (TreeView.pairCount &+ pair, 2 &* TreeView.pairCount &+ pair)
    return Chords(from: origin, x: points[pair], y: points[y], z: points[z])
  }
}

/// All points within a radius, as far as straight chords can prove it.
struct BallRegion: SearchRegion {
  let origin: ECEFPoint

  /// Meters, zero or more, or infinity.
  let radius: Double

  private let scan: LeafScan
  fileprivate let distances: LeafDistances

  /// The squared chord above which a point is certainly outside, square meters; finite.
  let touchedSquared: Double

  /// The squared chord up to which a point is certainly inside; negative if nothing is certain.
  let insideSquared: Double

  /// Whether no point within the radius has a chord for which the change of curvature counts.
  fileprivate var isNear: Bool { touchedSquared < Geodesic.minimumChangeSquared }

  private let limits: ChordLimits
  private let floatPoint: FloatPoint
  private let touchedLimit: Float
  private let insideLimit: Float

  /// The bytes of scratch memory that a region needs.
  static let byteCount = LeafDistances.byteCount + FloatPoint.byteCount + LeafScan.byteCount

  /// The scratch is `byteCount` bytes, aligned to 32, which must outlive the value.
  @inline(__always)
  init(radius: Double, of origin: ECEFPoint, scratch: UnsafeMutableRawPointer) {
    self.origin = origin
    self.radius = radius
    limits = ChordLimits(radius)
    touchedSquared = limits.finiteSquared
    insideSquared = min(ChordLimits.certainSquared(within: radius), 2e14)
    distances = LeafDistances(scratch: scratch)
    floatPoint = FloatPoint(origin, axialWeight: 1, scratch: scratch + LeafDistances.byteCount)
    scan = LeafScan(scratch: scratch + LeafDistances.byteCount + FloatPoint.byteCount)
    // by more than the rounding of a lane's bound
    touchedLimit = Float(touchedSquared) * (1 + 0x1p-20) + Float.leastNormalMagnitude
    insideLimit = Float(insideSquared) * (1 - 0x1p-20)
  }

  @inline(__always)
  func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    (
      mask(lanes.nearestSquared(to: floatPoint), notAbove: SIMD4(repeating: touchedLimit)),
      mask(lanes.farthestSquared(to: floatPoint), notAbove: SIMD4(repeating: insideLimit))
    )
  }

  @inline(__always)
  func points(
    ofLeaf leaf: Int,
    in view: TreeView,
    where allowed: FilterMask?,
    _ probe: inout some SearchProbe
  ) -> UInt32 {
    let touched = candidates(ofLeaf: leaf, in: view, where: allowed, &probe)
    var inside = touched & scan.bits(within: insideSquared)
    for lane in SetBits(touched & ~inside)
    where contains(leaf &* TreeShape.leafCapacity &+ lane, of: view, &probe) {
      inside |= 1 &<< UInt32(truncatingIfNeeded: lane)
    }
    return inside
  }

  /// A bit for each of a leaf's points that is allowed and not certainly outside.
  @inline(__always)
  func candidates(
    ofLeaf leaf: Int,
    in view: TreeView,
    where allowed: FilterMask?,
    _ probe: inout some SearchProbe
  ) -> UInt32 {
    probe.scanLeaf(points: view.shape.slots(ofLeaf: leaf).count)
    let bits = scan.measure(view.points(ofLeaf: leaf), from: origin, limit: touchedSquared)
    return allowed?.restrict(bits, leaf: leaf) ?? bits
  }

  /// Whether a point is inside, if its chord does not decide.
  func contains(_ slot: Int, of view: TreeView, _ probe: inout some SearchProbe) -> Bool {
    let point = view.point(atSlot: slot)
    let chord = Chord(x: point.x - origin.x, y: point.y - origin.y, z: point.z - origin.z)
    if limits.rulesOut(chord) { return false }
    probe.solveDistances(1)
    if chord.squared <= ChordLimits.maximumNearSquared {
      return Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z) <= radius
    }
    if chord.squared <= GeodesicTopK.maximumChordSquared {
      let estimate = Geodesic.estimate(from: origin, x: point.x, y: point.y, z: point.z)
      let margin = GeodesicTopK.margin(at: estimate)
      if (estimate - radius).magnitude > margin { return estimate < radius }
      probe.solveDistances(1)
    }
    probe.solveLongGeodesics(1)
    let end = view.coordinate(at: view.position(atSlot: slot))
    return GeodesicInverse(from: origin.coordinate, to: end).distance <= radius
  }
}

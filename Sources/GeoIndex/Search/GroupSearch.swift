/// How the distances from several points are combined to one number.
public enum GroupCost: String, Sendable, CaseIterable {
  /// The sum of the distances, added in the order of the points.
  case sum
  /// The greatest distance.
  case max

  /// The cost of some distances.
  ///
  /// - Parameter distances: meters, in the order of the points.
  /// - Returns: meters.
  public func callAsFunction(_ distances: some Sequence<Double>) -> Double {
    distances.reduce(0) { self == .sum ? $0 + $1 : Swift.max($0, $1) }
  }
}

extension KDTree {
  /// Finds the points with the least sum or maximum of distances from several positions.
  ///
  /// An aggregate nearest neighbor query (D. Papadias et al., ACM TODS 30, 2005,
  /// doi 10.1145/1071610.1071616), exact on the ellipsoid. Ordered by cost, then by index.
  ///
  /// ```swift
  /// let fair = tree.nearest(toAll: [ann, bob, cleo], by: .max, count: 3)
  /// // fair.first?.distance is the longest of the three distances
  /// ```
  ///
  /// - Parameters:
  ///   - centers: the positions to measure from, one or more.
  ///   - cost: how their distances are combined.
  ///   - count: how many points to find, zero or more; all are returned if there are fewer.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: neighbors with the cost as their distance, meters.
  /// - Complexity: O(log n + count) expected for each center near the others.
  public func nearest(
    toAll centers: [Coordinate],
    by cost: GroupCost,
    count: Int,
    where allowed: BitSet? = nil
  ) -> [Neighbor] {
    nearest(toAll: centers, by: cost, count: count, where: allowed) {}
  }

  /// The same; `check` is called now and then, and its error ends the search.
  package func nearest(
    toAll centers: [Coordinate],
    by cost: GroupCost,
    count: Int,
    where allowed: BitSet?,
    check: () throws -> Void
  ) rethrows -> [Neighbor] {
    precondition(!centers.isEmpty, "A group must have a position.")
    precondition(count >= 0, "The count of neighbors must not be negative.")
    guard count > 0, !isEmpty, allowed?.isEmpty != true else { return [] }
    return try search(where: allowed) { filter in
      try withScratch(centers.count * FloatPoint.byteCount) { scratch in
        let origins = centers.map(ECEFPoint.init)
        var query = GroupQuery(
          view: view,
          origins: origins,
          isSum: cost == .sum,
          floatPoints: origins.enumerated().map { index, origin in
            FloatPoint(origin, axialWeight: 1, scratch: scratch + index * FloatPoint.byteCount)
          },
          found: NeighborHeap(capacity: Swift.min(count, self.count))
        )
        return try query.answer(where: filter, of: allowed, check)
      }
    }
  }
}

/// A search for the points with the least sum or maximum of distances from several origins.
///
/// Depth first, the lanes with the least bound first. The bound of a lane or a point is the sum or
/// maximum of what the chords from the origins prove; what passes is measured along the ellipsoid.
struct GroupQuery {
  /// A tree of at least one point.
  fileprivate let view: TreeView

  /// Where distances are measured from, one or more.
  fileprivate let origins: [ECEFPoint]

  /// Whether distances are added; otherwise the greatest counts.
  fileprivate let isSum: Bool

  /// The origins rounded to 32-bit floats.
  fileprivate let floatPoints: [FloatPoint]

  fileprivate var found: NeighborHeap

  /// Up to this length a chord proves more than the arc above it on the sphere of the polar radius.
  private static let straightChord = 1_800_000.0

  /// Less than 1 by more than the rounding of a sum of 64 bounds, in 32 and in 64 bits.
  private static let laneGuard = 1 - 1e-5
  private static let pointGuard = 1 - 1e-12

  /// The points with the least cost, in order.
  mutating func answer(
    where filter: FilterMask?,
    of allowed: BitSet?,
    _ check: () throws -> Void
  ) rethrows -> [Neighbor] {
    // scanning a few positions is faster than a search that finds none
    if let allowed, allowed.count * allowed.count / 8 <= found.capacity * view.shape.pointCount {
      allowed.visit { position in
        offer(ECEFPoint(view.coordinate(at: position)), position)
      }
    } else {
      try search(filter, check)
    }
    return found.sorted()
  }

  /// The nodes still to visit are in one list for all levels, the nearest last.
  private mutating func search(
    _ allowed: FilterMask?,
    _ check: () throws -> Void
  ) rethrows {
    var open: [(bound: Double, child: Int)] = []
    open.reserveCapacity(8 * TreeShape.maximumDepth)
    open.append((0, 0))
    var turn = 0
    while let (bound, node) = open.popLast() {
      guard bound <= found.limit else { continue }
      if node >= view.shape.nodeCount {
        for leaf in view.shape.leaves(atLane: view.shape.lane(ofChild: node)) {
          look(at: leaf, allowed)
        }
        continue
      }
      turn &+= 1
      if turn & 15 == 0 { try check() }
      let first = 8 &* node &+ view.shape.childOffset
      let start = open.count
      for half in 0..<2 {
        let four = laneBounds(node, half)
        for lane in 0..<4 {
          let bound = Double(four[lane]) * Self.laneGuard
          // never an empty lane, whose bound is infinite, nor NaN of a damaged file
          guard bound <= found.limit, bound < .infinity else { continue }
          var place = open.count
          open.append((bound, first &+ 4 &* half &+ lane))
          while place > start, open[place &- 1].bound < bound {
            open.swapAt(place, place &- 1)
            place &-= 1
          }
        }
      }
    }
  }

  /// The least cost of the points of four lanes, as proven by the chords to their boxes.
  private func laneBounds(_ node: Int, _ half: Int) -> SIMD4<Float> {
    let lanes = NodeLanes(view.nodes, node: node, half: half)
    var total = SIMD4<Float>.zero
    for floatPoint in floatPoints {
      var chord = lanes.nearestSquared(to: floatPoint).squareRoot()
      for lane in 0..<4 where chord[lane] > Float(Self.straightChord) {
        chord[lane] = Float(Self.minimumDistance(Double(chord[lane])))
      }
      total = isSum ? total + chord : total.replacing(with: chord, where: total .< chord)
    }
    return total
  }

  /// Measures the points of a leaf that their chords do not rule out.
  private mutating func look(at leaf: Int, _ allowed: FilterMask?) {
    let points = view.points(ofLeaf: leaf)
    for pair in 0..<TreeView.pairCount {
      var bounds = SIMD2<Double>.zero
      for origin in origins {
        let chord = LeafScan.squared(points, pair, origin).squareRoot()
        bounds = isSum ? bounds + chord : greater(bounds, chord)
      }
      for lane in 0..<2 where bounds[lane] * Self.pointGuard <= found.limit {
        let slot = leaf &* TreeShape.leafCapacity &+ 2 &* pair &+ lane
        // the last leaf may have slots without a point
        guard slot < view.shape.pointCount else { return }
        let position = view.position(atSlot: slot)
        if let allowed, !allowed.contains(position) { continue }
        offer(view.ecefPoint(atSlot: slot), position)
      }
    }
  }

  /// Measures a point, and keeps it if it is among the best.
  private mutating func offer(_ end: ECEFPoint, _ position: Int) {
    if found.limit < .infinity, minimumCost(of: end) > found.limit { return }
    var total = 0.0
    for origin in origins {
      let distance = Geodesic.distance(from: origin, to: end)
      total = isSum ? total + distance : max(total, distance)
    }
    found.offer(Neighbor(index: position, distance: total))
  }

  /// The least cost of a point, as proven by chords and estimates.
  private func minimumCost(of end: ECEFPoint) -> Double {
    var total = 0.0
    for origin in origins {
      let chordSquared = Chord(from: origin, to: end).squared
      var bound = chordSquared.squareRoot()
      if chordSquared > GeodesicTopK.maximumChordSquared {
        bound = Self.minimumDistance(bound)
      } else if chordSquared > ChordLimits.maximumNearSquared {
        let estimate = Geodesic.estimate(from: origin, x: end.x, y: end.y, z: end.z)
        bound = max(bound, estimate - GeodesicTopK.margin(at: estimate))
      }
      total = isSum ? total + bound : max(total, bound)
    }
    return total * Self.pointGuard
  }

  /// The least length of the geodesic of a chord: at least c, and at least 2b·asin(c/2a), see
  /// ``ChordLimits``.
  private static func minimumDistance(_ chord: Double) -> Double {
    guard chord > straightChord, chord < .infinity else { return chord }
    let sine = min(1, chord / (2 * Ellipsoid.equatorialRadius))
    return max(chord, 2 * Ellipsoid.polarRadius * CMath.arcsine(sine))
  }
}

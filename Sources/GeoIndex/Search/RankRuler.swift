/// A point of a part of the tree, whose distance bounds those of the part's other points.
struct RankPivot {
  let x: Double
  let y: Double
  let z: Double
  let distance: Double
}

/// Measures distances, and bounds those that are not worth measuring.
///
/// At great distances, chords prove little: geodesics of equal chords differ by 0.3%. There the
/// triangle inequality proves more: if s is the geodesic to a pivot q, the one to a point p near it
/// is in s ± |qp|.
struct RankRuler {
  let view: TreeView
  let origin: SurfacePoint

  /// The number of distances computed, and of those by Karney's inverse.
  private var solvedCount = 0
  private var farCount = 0

  /// The last long geodesic, and where it ends: equal points are next to each other.
  private var farEnd = Coordinate.origin
  private var farDistance = Double.nan

  /// The chord from which a pivot's bounds are useful, meters: there a geodesic may be 1 m longer.
  private static let leastPivotChord = 100_000.0

  init(view: TreeView, origin: SurfacePoint) {
    self.view = view
    self.origin = origin
  }

  func report(to probe: inout some SearchProbe) {
    probe.solveDistances(solvedCount)
    probe.solveLongGeodesics(farCount)
  }

  /// A point with its reported distance.
  mutating func neighbor(_ item: RankItem) -> Neighbor {
    let slot = Int(item.number)
    let distance = item.isExact ? item.lower : pivot(slot).distance
    return Neighbor(index: view.position(atSlot: slot), distance: distance)
  }

  /// The point in a slot with its reported distance.
  @inline(__always)
  private mutating func pivot(_ slot: Int) -> RankPivot {
    let point = view.point(atSlot: slot)
    let chord = Chord(x: point.x - origin.x, y: point.y - origin.y, z: point.z - origin.z)
    let distance: Double
    if chord.squared <= ChordBound.greatestNear {
      solvedCount += 1
      distance = Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z)
    } else {
      distance = farDistance(to: view.coordinate(at: view.position(atSlot: slot)))
    }
    return RankPivot(x: point.x, y: point.y, z: point.z, distance: distance)
  }

  @inline(never)
  private mutating func farDistance(to end: Coordinate) -> Double {
    // bit by bit, because equal coordinates may have distances that differ in the last bit
    let isLast =
      end.latitude.bitPattern == farEnd.latitude.bitPattern
      && end.longitude.bitPattern == farEnd.longitude.bitPattern
    if isLast, !farDistance.isNaN { return farDistance }
    solvedCount += 1
    farCount += 1
    farEnd = end
    farDistance = GeodesicInverse(from: origin.coordinate, to: end).distance
    return farDistance
  }

  /// Bounds on the distances of the points in a lane of a node.
  ///
  /// - Parameters:
  ///   - near: not above any chord to them, meters.
  ///   - far: not below any.
  ///   - lanes: four lanes of the node.
  ///   - lane: which of them.
  ///   - slots: those of the points.
  /// - Returns: meters.
  @inline(__always)
  mutating func bounds(
    _ near: Double,
    _ far: Double,
    _ lanes: NodeLanes,
    _ lane: Int,
    around slots: Range<Int>
  ) -> (lower: Double, upper: Double) {
    let upper = Reach.greatestDistance(withChord: far)
    guard far > Self.leastPivotChord else { return (near, upper) }
    let pivot = pivot(slots.lowerBound + slots.count / 2)
    func greatest(_ point: Double, _ axis: NodeLanes.Axis) -> Double {
      max(point - Double(lanes[axis, .low][lane]), Double(lanes[axis, .high][lane]) - point)
    }
    let (x, y, z) = (greatest(pivot.x, .x), greatest(pivot.y, .y), greatest(pivot.z, .z))
    let away = Reach.greatestDistance(withChord: Chord(x: x, y: y, z: z).squared.squareRoot())
    return (max(near, pivot.distance - away), min(upper, pivot.distance + away))
  }

  /// A point, with its distance if it is near, or else bounds on it.
  ///
  /// - Parameters:
  ///   - slot: the point's.
  ///   - chordSquared: square meters.
  ///   - slots: those of its leaf.
  ///   - pivot: the leaf's, once it is needed.
  /// - Returns: an item of one point.
  @inline(__always)
  mutating func item(
    _ slot: Int,
    chordSquared: Double,
    in slots: Range<Int>,
    _ pivot: inout RankPivot?
  ) -> RankItem {
    let point = view.point(atSlot: slot)
    if chordSquared <= ChordBound.greatestNear {
      solvedCount += 1
      let distance = Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z)
      return RankItem(slot, count: 1, lower: distance, upper: distance)
    }
    if chordSquared <= EstimateRuler.greatestChordSquared {
      solvedCount += 1
      let estimate = GeodesicEstimate(from: origin, x: point.x, y: point.y, z: point.z).distance
      let margin = EstimateRuler.margin(at: estimate)
      return RankItem(slot, count: 1, lower: estimate - margin, upper: estimate + margin)
    }
    let center = pivot ?? self.pivot(slots.lowerBound + slots.count / 2)
    pivot = center
    let chord = Chord(x: point.x - center.x, y: point.y - center.y, z: point.z - center.z)
    let away = Reach.greatestDistance(withChord: chord.squared.squareRoot())
    let (lower, upper) = (center.distance - away, center.distance + away)
    return RankItem(slot, count: 1, lower: lower, upper: upper)
  }
}

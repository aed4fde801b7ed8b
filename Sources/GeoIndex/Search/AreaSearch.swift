/// An area as a region of space.
///
/// The box of a node is turned into the parallels and meridians around it, with a margin far greater
/// than the rounding of points and bounds, and ``Outline/relation(to:)`` tells whether an edge may
/// cross these. ``Area/contains(_:)`` decides on the degrees of the points of leaves.
struct AreaRegion: SearchRegion {
  private let area: Area

  /// The area's bounding box, which excludes most nodes in less time.
  private let box: BoxRegion

  /// Whether the search shall end, without an answer; asked now and then.
  private let isOver: () -> Bool

  /// The leaves that a search for the nearest may scan: the set of all points takes as long.
  static let leafBudget = 400

  init(_ area: Area, until isOver: @escaping () -> Bool = { false }) {
    self.area = area
    box = BoxRegion(area.boundingBox)
    self.isOver = isOver
  }

  func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    var (touched, inside) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero)
    if isOver() { return (touched, inside) }
    let near = box.relation(lanes).touched
    for lane in 0..<4 where near[lane] != 0 {
      switch area.outline.relation(to: DegreeBox(around: lanes, lane)) {
      case .outside: break
      case .crosses: touched[lane] = -1
      case .inside: (touched[lane], inside[lane]) = (-1, -1)
      }
    }
    return (touched, inside)
  }

  /// The lanes of a node that are not certainly outside, a bit each.
  func touched(_ node: Int, in view: TreeView) -> UInt32 {
    LaneRelation(of: node, in: view, to: self).touched
  }

  func points(
    ofLeaf leaf: Int,
    in view: TreeView,
    where allowed: FilterMask?,
    _ probe: inout some SearchProbe
  ) -> UInt32 {
    probe.scanLeaf(points: view.shape.slots(ofLeaf: leaf).count)
    if isOver() { return 0 }
    return restrict(view.points(ofLeaf: leaf, where: allowed), leaf: leaf, in: view)
  }

  /// A bit for each of a leaf's given points that is in the area.
  func restrict(_ bits: UInt32, leaf: Int, in view: TreeView) -> UInt32 {
    withScratch(TreeShape.leafCapacity * MemoryLayout<Coordinate>.stride) { scratch in
      let coordinates = scratch.assumingMemoryBound(to: Coordinate.self)
      // all first, so that the processor waits for them together
      for lane in SetBits(bits) {
        let position = view.position(atSlot: leaf &* TreeShape.leafCapacity &+ lane)
        coordinates[lane] = view.coordinate(at: position)
      }
      var inside: UInt32 = 0
      for lane in SetBits(bits) where area.contains(coordinates[lane]) {
        inside |= 1 &<< UInt32(truncatingIfNeeded: lane)
      }
      return inside
    }
  }
}

extension DegreeBox {
  /// Meters by which a box in space is widened: far more than a point can be off.
  private static let margin = 0.001

  /// The parallels and meridians around a lane that is not empty; `east` may be up to 360 greater
  /// than a longitude.
  init(around lanes: NodeLanes, _ lane: Int) {
    func range(_ axis: NodeLanes.Axis) -> (low: Double, high: Double) {
      let (low, high) = (lanes[axis, .low][lane], lanes[axis, .high][lane])
      return (Double(low) - Self.margin, Double(high) + Self.margin)
    }
    let (x, y, z) = (range(.x), range(.y), range(.z))
    let (west, east) = Self.longitudes(x, y)
    self.init(west: west, south: Self.latitude(z.low), east: east, north: Self.latitude(z.high))
  }

  /// The latitude at a height over the plane of the equator; of one beyond the poles, that of the pole.
  ///
  /// z = b·sinβ, and the geodetic latitude has the tangent tanβ·a/b.
  private static func latitude(_ z: Double) -> Double {
    let sine = z / Ellipsoid.polarRadius
    guard sine.magnitude < 1 else { return sine < 0 ? -90 : 90 }
    let cosine = ((1 - sine) * (1 + sine)).squareRoot()
    return degrees(sine * Ellipsoid.equatorialRadius, cosine * Ellipsoid.polarRadius)
  }

  /// The directions from the axis of the corners that are first and last, seen counterclockwise.
  private static func longitudes(
    _ x: (low: Double, high: Double),
    _ y: (low: Double, high: Double)
  ) -> (west: Double, east: Double) {
    if y.low > 0 {
      return (
        degrees(x.high > 0 ? y.low : y.high, x.high), degrees(x.low < 0 ? y.low : y.high, x.low)
      )
    }
    if y.high < 0 {
      return (
        degrees(x.low < 0 ? y.high : y.low, x.low), degrees(x.high > 0 ? y.high : y.low, x.high)
      )
    }
    if x.low > 0 { return (degrees(y.low, x.low), degrees(y.high, x.low)) }
    // the axis is in the box, or else the antimeridian
    return x.high < 0 ? (degrees(y.high, x.high), degrees(y.low, x.high) + 360) : (-180, 180)
  }

  private static func degrees(_ sine: Double, _ cosine: Double) -> Double {
    CMath.arctangent(sine, cosine) * (180 / .pi)
  }
}

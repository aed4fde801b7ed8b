/// A part of the world inside polygons, in degrees.
///
/// Edges are straight in longitude and latitude (RFC 7946 §3.1.1). Every boundary is in, also that of
/// a hole. A position is in a polygon if a line from it crosses the polygon's rings an odd number of
/// times, however they cross each other, and in the area if it is in one of the polygons.
///
/// Longitudes may go beyond ±180: a polygon across the antimeridian is written as 170...190 or as
/// parts that are cut at ±180, which is one meridian. A pole is in if a ring reaches its latitude,
/// whatever the longitude, as in the form of a polar cap of RFC 7946: a ring from -180,80 by 180,80
/// and 180,90 to -180,90.
///
/// ```swift
/// let corners = [(170.0, -20.0), (190, -20), (180, -10), (170, -20)]
/// let ring = corners.map { Area.Vertex(longitude: $0.0, latitude: $0.1) }
/// let fiji = try Area([[ring]])
/// // fiji.contains(suva) is true
/// ```
///
/// All decisions are exact for the given 64-bit floats: where rounding could matter, the orientation
/// of three points is computed in integers (the filter is that of J. R. Shewchuk, Adaptive precision
/// floating-point arithmetic, Discrete & Computational Geometry 18, 1997, doi 10.1007/PL00009321).
public struct Area: Sendable, Hashable {
  /// A corner of a ring, in degrees.
  public struct Vertex: Sendable, Hashable {
    /// Degrees east, -540...540.
    public let longitude: Double

    /// Degrees north, -90...90.
    public let latitude: Double

    /// Makes a corner of any numbers, which ``Area/init(_:)`` checks.
    public init(longitude: Double, latitude: Double) {
      self.longitude = longitude
      self.latitude = latitude
    }
  }

  /// A closed line: its last vertex equals its first.
  public typealias Ring = [Vertex]

  /// The maximum number of vertices of all rings together.
  public static let maximumVertexCount = 1_000_000

  /// The polygons, each a list of rings: the outline first, then the holes.
  public let polygons: [[Ring]]

  /// A box around all of it.
  ///
  /// It crosses the antimeridian if that makes it narrower; its edges are at most an ulp away from the
  /// area's.
  public let boundingBox: BoundingBox

  let outline: Outline

  /// Makes an area.
  ///
  /// - Parameter polygons: lists of rings, in any direction. A polygon without rings is ignored.
  /// - Throws: ``AreaError`` if there is no polygon; a ring is not closed or has fewer than four
  ///   positions; a number is not finite or out of range; or there are too many vertices.
  /// - Complexity: O(n) for n vertices; 30 bytes per vertex in addition to the polygons.
  public init(_ polygons: [[Ring]]) throws(AreaError) {
    let polygons = polygons.filter { !$0.isEmpty }
    guard !polygons.isEmpty else { throw .noPolygon }
    let count = polygons.joined().reduce(0) { $0 + $1.count }
    guard count <= Self.maximumVertexCount else { throw .tooManyVertices(count) }
    for (polygon, rings) in polygons.enumerated() {
      for (ring, vertices) in rings.enumerated() {
        try Self.check(vertices, AreaError.Place(polygon: polygon, ring: ring))
      }
    }
    self.polygons = polygons
    outline = Outline(polygons)
    boundingBox = Self.box(around: polygons, outline)
  }

  private static func check(_ ring: Ring, _ place: AreaError.Place) throws(AreaError) {
    for (index, vertex) in ring.enumerated() {
      let (longitudes, latitudes) = (-540.0...540.0, -90.0...90.0)
      // a range contains no nan and no infinity
      guard longitudes.contains(vertex.longitude), latitudes.contains(vertex.latitude) else {
        throw .outOfRange(vertex, index: index, place)
      }
    }
    guard ring.first == ring.last else { throw .unclosed(place) }
    guard ring.count >= 4 else { throw .tooFewPositions(ring.count, place) }
  }

  /// Whether a position is in the area or on its boundary, exactly.
  ///
  /// - Complexity: O(log n + m) expected for n vertices and m edges near the position.
  public func contains(_ coordinate: Coordinate) -> Bool {
    let box = outline.box
    guard box.south <= coordinate.latitude, coordinate.latitude <= box.north else { return false }
    if coordinate.isPole { return true }
    let longitude = coordinate.canonicalLongitude
    for turn in outline.turns {
      let point = PlanePoint(longitude, turn: turn, coordinate.latitude)
      if box.west <= point.x, point.x <= box.east, outline.contains(point) { return true }
    }
    return false
  }

  /// Whether a position is on an edge of the area, exactly, at the longitude that it has.
  ///
  /// - Complexity: O(n) for n vertices.
  package func isOnBoundary(_ coordinate: Coordinate) -> Bool {
    outline.turns.contains { turn in
      outline.touches(PlanePoint(coordinate.canonicalLongitude, turn: turn, coordinate.latitude))
    }
  }

  /// Whether two areas have the same polygons, vertex by vertex.
  public static func == (one: Area, other: Area) -> Bool { one.polygons == other.polygons }

  /// Feeds the polygons into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(polygons) }

  /// The box whose arc of longitude is the circle without the widest gap between polygons.
  private static func box(around polygons: [[Ring]], _ outline: Outline) -> BoundingBox {
    let arcs = polygons.compactMap { rings -> (west: Double, east: Double)? in
      let longitudes = rings.joined().lazy.map(\.longitude)
      guard let west = longitudes.min(), let east = longitudes.max() else { return nil }
      // outward, because the turn rounds
      let turn = ((west + 180) / 360).rounded(.down) * 360
      return turn == 0 ? (west, east) : (max(-180, (west - turn).nextDown), (east - turn).nextUp)
    }.sorted { $0.west < $1.west }
    let last = arcs.reduce(-Double.infinity) { max($0, $1.east) }
    // the gap over the antimeridian comes first; what is beyond 180 is at the start as well
    var end = last > 180 ? (last - 360).nextUp : -.infinity
    var (west, east, gap) = (arcs[0].west, last > 180 ? end : last, arcs[0].west + 360 - last)
    for arc in arcs {
      if end >= -180, arc.west - end > gap { (west, east, gap) = (arc.west, end, arc.west - end) }
      end = max(end, arc.east)
    }
    let isWorldWide = gap < 1e-9
    let box = BoundingBox(
      west: isWorldWide ? -180 : west,
      south: outline.box.south,
      east: isWorldWide ? 180 : east,
      north: outline.box.north
    )
    return box ?? .world
  }
}

/// Why polygons are not an area.
public enum AreaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A ring of a polygon, both counted from 0; ring 0 is the outline.
  public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The polygon.
    public let polygon: Int

    /// The ring.
    public let ring: Int

    /// Names a ring.
    package init(polygon: Int, ring: Int) {
      self.polygon = polygon
      self.ring = ring
    }

    /// The place, counted from 1.
    public var description: String {
      ring == 0 ? "the outline of polygon \(polygon + 1)" : "hole \(ring) of polygon \(polygon + 1)"
    }
  }

  /// There is no ring.
  case noPolygon
  /// The last position of a ring is not its first.
  case unclosed(Place)
  /// A ring has fewer than the four positions of a triangle.
  case tooFewPositions(Int, Place)
  /// A number is not finite, or beyond -90...90 or -540...540.
  case outOfRange(Area.Vertex, index: Int, Place)
  /// There are more than ``Area/maximumVertexCount`` vertices.
  case tooManyVertices(Int)

  /// The error as a sentence.
  public var description: String {
    switch self {
    case .noPolygon: "an area needs a polygon"
    case .unclosed(let place): "\(place) is not closed: its last position must be its first"
    case .tooFewPositions(let count, let place):
      "\(place) has \(count) position\(count == 1 ? "" : "s"); a ring has at least four"
    case .outOfRange(let vertex, let index, let place):
      """
      position \(index + 1) of \(place), longitude \(vertex.longitude) and latitude \
      \(vertex.latitude), is not in -540...540 and -90...90
      """
    case .tooManyVertices(let count):
      "an area has at most \(Area.maximumVertexCount) vertices, not \(count)"
    }
  }
}

/// A point of the plane whose x may need more digits than a 64-bit float has: it is x + rest.
struct PlanePoint {
  let x: Double
  let rest: Double
  let y: Double

  init(x: Double, y: Double) {
    (self.x, rest, self.y) = (x, 0, y)
  }

  /// A longitude some whole turns further east, exactly: the sum of two floats with its error.
  init(_ longitude: Double, turn: Int, _ latitude: Double) {
    let shift = Double(turn) * 360
    x = longitude + shift
    let added = x - longitude
    rest = (longitude - (x - added)) + (shift - added)
    y = latitude
  }

  /// Whether the point is west of a longitude.
  func isWest(of longitude: Double) -> Bool { x < longitude || (x == longitude && rest < 0) }

  /// Whether the point is east of a longitude.
  func isEast(of longitude: Double) -> Bool { x > longitude || (x == longitude && rest > 0) }
}

/// Degrees between two parallels and two meridians, which may go beyond ±180; closed.
struct DegreeBox {
  var west: Double
  var south: Double
  var east: Double
  var north: Double
}

/// What is known of all positions of a box.
enum AreaRelation {
  case outside
  case inside
  /// An edge may cross or touch the box.
  case crosses
}

/// The edges of an area, with boxes around parts of them.
///
/// Rings are cut into *chains* of a few edges. Over runs of chains, in the order of the rings, there
/// are boxes, and over these others; all lie in preorder, each with the index after those it holds.
struct Outline: Sendable {
  /// A run of chains.
  private struct Part {
    var box: DegreeBox

    /// The first and the last vertex.
    var first: Int32
    var last: Int32

    /// The index of the part after this one and all it holds.
    var next: Int32 = 0

    /// The polygon of the first chain.
    var polygon: Int32

    var kind: Kind

    /// What it holds, which tells how often a line crosses it from west to east.
    enum Kind {
      /// Edges that follow one another: an odd number of times if the line is between its ends.
      case chain
      /// Some chains of one ring: likewise.
      case chains
      /// Complete rings: an even number of times.
      case rings
      /// Parts of several rings.
      case mixed
    }
  }

  let box: DegreeBox

  /// How many turns east of -180..<180 a position may be in the area.
  let turns: ClosedRange<Int>

  private let vertices: [SIMD2<Double>]
  private let parts: [Part]

  /// The edges of a chain at most; 4 and 16 are slower.
  private static let chainLength = 8

  /// - Parameter polygons: at least one, of closed rings.
  init(_ polygons: [[Area.Ring]]) {
    var vertices: [SIMD2<Double>] = []
    var chains: [(part: Part, ring: Int, isStart: Bool, isEnd: Bool)] = []
    var ringCount = 0
    for (polygon, rings) in polygons.enumerated() {
      for ring in rings {
        let base = vertices.count
        vertices += ring.lazy.map { SIMD2($0.longitude, $0.latitude) }
        for start in stride(from: base, to: vertices.count - 1, by: Self.chainLength) {
          let end = min(start + Self.chainLength, vertices.count - 1)
          let part = Part(
            box: DegreeBox(around: vertices[start...end]),
            first: Int32(start),
            last: Int32(end),
            polygon: Int32(polygon),
            kind: .chain
          )
          chains.append((part, ringCount, start == base, end == vertices.count - 1))
        }
        ringCount += 1
      }
    }
    var parts: [Part] = []
    func add(_ range: Range<Int>) {
      let index = parts.count
      let (first, last) = (chains[range.lowerBound], chains[range.upperBound - 1])
      parts.append(first.part)
      if range.count > 1 {
        let isOneRing = first.ring == last.ring
        parts[index].kind =
          isOneRing ? .chains : first.isStart && last.isEnd ? .rings : .mixed
        parts[index].last = last.part.last
        let share = (range.count + 3) / 4
        for start in stride(from: range.lowerBound, to: range.upperBound, by: share) {
          let child = parts.count
          add(start..<min(start + share, range.upperBound))
          parts[index].box.formUnion(parts[child].box)
        }
      }
      parts[index].next = Int32(parts.count)
    }
    add(0..<chains.count)
    box = parts[0].box
    let (west, east) = (box.west, box.east)
    turns = Int(((west - 180) / 360).rounded(.up))...Int(((east + 180) / 360).rounded(.down))
    self.vertices = vertices
    self.parts = parts
  }

  /// Whether a point of the plane is in one of the polygons or on an edge.
  ///
  /// Counts the edges that a line to the east crosses; one with an end on the line counts if the
  /// other end is above it.
  func contains(_ point: PlanePoint) -> Bool {
    var (polygon, isOdd) = (Int32(-1), false)
    return parts.withUnsafeBufferPointer { parts in
      var index = 0
      while index < parts.count {
        let part = parts[index]
        if part.box.south > point.y || part.box.north < point.y || part.box.east < point.x {
          index = Int(part.next)
          continue
        }
        let isPast = part.box.west > point.x
        if isPast ? part.kind == .mixed : part.kind != .chain {
          index &+= 1
          continue
        }
        index = Int(part.next)
        if isPast, part.kind == .rings { continue }
        let side = isPast ? crossing(part, point) : crossings(part, point)
        guard let side else { return true }
        guard side else { continue }
        if part.polygon == polygon {
          isOdd.toggle()
        } else {
          if isOdd { return true }
          (polygon, isOdd) = (part.polygon, true)
        }
      }
      return isOdd
    }
  }

  /// Whether a point is on an edge.
  func touches(_ point: PlanePoint) -> Bool {
    parts.contains { $0.kind == .chain && crossings($0, point) == nil }
  }

  /// Whether a line crosses edges that are all east of a point an odd number of times.
  private func crossing(_ part: Part, _ point: PlanePoint) -> Bool? {
    (vertices[Int(part.first)].y > point.y) != (vertices[Int(part.last)].y > point.y)
  }

  /// Whether a line from a point crosses a chain an odd number of times; nil if the point is on it.
  private func crossings(_ part: Part, _ point: PlanePoint) -> Bool? {
    vertices.withUnsafeBufferPointer { vertices in
      var isOdd = false
      var end = vertices[Int(part.first)]
      for index in Int(part.first) + 1...Int(part.last) {
        let start = end
        end = vertices[index]
        let (startIsAbove, endIsAbove) = (start.y > point.y, end.y > point.y)
        // with both ends above, or both below, there is no crossing and no touch
        if startIsAbove && endIsAbove || max(start.y, end.y) < point.y { continue }
        if point.isEast(of: max(start.x, end.x)) { continue }
        let crosses = startIsAbove != endIsAbove
        if point.isWest(of: min(start.x, end.x)) {
          isOdd = isOdd != crosses
          continue
        }
        let side = Orientation.side(of: point, start, end)
        if side == 0 { return nil }
        if crosses, (side > 0) == endIsAbove { isOdd.toggle() }
      }
      return isOdd
    }
  }

  /// What is known of a box, at any number of turns.
  func relation(to box: DegreeBox) -> AreaRelation {
    var relation = AreaRelation.outside
    for turn in -2...2 {
      // wider by more than the rounding of the sum
      let shift = Double(turn) * 360
      let turned = DegreeBox(
        west: box.west + shift - 0x1p-40,
        south: box.south,
        east: box.east + shift + 0x1p-40,
        north: box.north
      )
      guard turned.touches(self.box) else { continue }
      switch planeRelation(to: turned) {
      case .inside: return .inside
      case .crosses: relation = .crosses
      case .outside: break
      }
    }
    return relation
  }

  private func planeRelation(to box: DegreeBox) -> AreaRelation {
    let isCrossed = parts.withUnsafeBufferPointer { parts in
      var index = 0
      while index < parts.count {
        let part = parts[index]
        if !part.box.touches(box) {
          index = Int(part.next)
        } else if box.contains(part.box) || part.kind == .chain && touches(part, box) {
          return true
        } else {
          index &+= 1
        }
      }
      return false
    }
    if isCrossed { return .crosses }
    // no edge is in the box: one of its points tells for all
    return contains(PlanePoint(x: box.west, y: box.south)) ? .inside : .outside
  }

  /// Whether an edge of a chain may touch a box.
  private func touches(_ chain: Part, _ box: DegreeBox) -> Bool {
    for index in Int(chain.first)..<Int(chain.last) {
      let (start, end) = (vertices[index], vertices[index + 1])
      guard max(start.y, end.y) >= box.south, min(start.y, end.y) <= box.north,
        max(start.x, end.x) >= box.west, min(start.x, end.x) <= box.east
      else { continue }
      // the corners are on one side if none of these differences has another sign
      let (x, y) = (end.x - start.x, end.y - start.y)
      let (low, high) = (x * (box.south - start.y), x * (box.north - start.y))
      let (left, right) = (y * (box.west - start.x), y * (box.east - start.x))
      // far more than they can be off by
      let margin =
        0x1p-48 * (max(low.magnitude, high.magnitude) + max(left.magnitude, right.magnitude))
        + 0x1p-900
      let isLeft = min(low, high) - max(left, right) > margin
      let isRight = max(low, high) - min(left, right) < -margin
      if !isLeft && !isRight { return true }
    }
    return false
  }
}

extension DegreeBox {
  init(around points: some Sequence<SIMD2<Double>>) {
    self.init(west: .infinity, south: .infinity, east: -.infinity, north: -.infinity)
    for point in points {
      west = min(west, point.x)
      south = min(south, point.y)
      east = max(east, point.x)
      north = max(north, point.y)
    }
  }

  func touches(_ other: DegreeBox) -> Bool {
    west <= other.east && other.west <= east && south <= other.north && other.south <= north
  }

  func contains(_ other: DegreeBox) -> Bool {
    west <= other.west && other.east <= east && south <= other.south && other.north <= north
  }

  mutating func formUnion(_ other: DegreeBox) {
    west = min(west, other.west)
    south = min(south, other.south)
    east = max(east, other.east)
    north = max(north, other.north)
  }
}

/// The side of a line that a point is on, exactly.
enum Orientation {
  /// Positive if the point is left of the line from `start` to `end`, negative if it is right of it,
  /// and 0 on it.
  @inline(__always)
  static func side(of point: PlanePoint, _ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Int {
    let left = (end.x - start.x) * (point.y - start.y)
    let right = (end.y - start.y) * (point.x - start.x)
    let difference = left - right
    // Shewchuk's bound (3 + 16ε)ε; what the rest of x, at most 2⁻⁴⁴, may add; underflow
    let bound =
      0x1.8000000000008p-52 * (left.magnitude + right.magnitude)
      + (point.rest == 0 ? 0 : 0x1p-43 * (end.y - start.y).magnitude) + 0x1p-1000
    if difference.magnitude > bound { return difference > 0 ? 1 : -1 }
    return exactSide(of: point, start, end)
  }

  /// The same in integers: the sum of products in digits of 32 bits, the lowest worth 2⁻²¹⁴⁸.
  @inline(never)
  static func exactSide(of point: PlanePoint, _ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Int {
    let products = [
      (start.x, end.y), (-start.x, point.y), (end.x, point.y), (-end.x, start.y),
      (point.x, start.y), (-point.x, end.y), (point.rest, start.y), (-point.rest, end.y),
    ]
    var digits = [Int64](repeating: 0, count: 72)
    let mask: UInt64 = 0xFFFF_FFFF
    for (one, other) in products where one != 0 && other != 0 {
      let sign: Int64 = (one < 0) == (other < 0) ? 1 : -1
      let ((number, exponent), (factor, power)) = (integer(one), integer(other))
      let (place, shift) = (exponent + power).quotientAndRemainder(dividingBy: 32)
      for (i, high) in [number & mask, number >> 32].enumerated() {
        for (j, low) in [factor & mask, factor >> 32].enumerated() {
          let product = high * low
          for (k, half) in [product & mask, product >> 32].enumerated() {
            let shifted = half << UInt64(shift)
            digits[place + i + j + k] += sign * Int64(shifted & mask)
            digits[place + i + j + k + 1] += sign * Int64(shifted >> 32)
          }
        }
      }
    }
    var isZero = true
    for index in 0..<digits.count - 1 {
      digits[index + 1] += digits[index] >> 32
      digits[index] &= Int64(mask)
      isZero = isZero && digits[index] == 0
    }
    // the digits below the last are not negative now
    return digits[digits.count - 1] < 0 ? -1 : isZero && digits[digits.count - 1] == 0 ? 0 : 1
  }

  /// A finite number as an integer times a power of two, without its sign; the power plus 1 074.
  private static func integer(_ number: Double) -> (UInt64, power: Int) {
    let exponent = Int(number.exponentBitPattern)
    let hidden: UInt64 = exponent > 0 ? 1 << 52 : 0
    return (number.significandBitPattern | hidden, max(exponent, 1) - 1)
  }
}

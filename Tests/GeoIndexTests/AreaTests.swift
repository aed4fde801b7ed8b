import TestSupport
import Testing

@testable import GeoIndex

struct AreaTests {
  @Test(arguments: AreaKind.allCases)
  func `a position is in an area if exact arithmetic says so`(_ kind: AreaKind) throws {
    var random = SplitMix64(stream: "area \(kind.rawValue)")
    var members = 0
    let (areaCount, pointCount) = kind == .thousands ? (8, 1_500) : (150, 100)
    for turn in 0..<areaCount {
      let area = try kind.area(using: &random)
      let exact = ExactArea(area)
      for _ in 0..<pointCount {
        let position = AreaKind.position(near: area, using: &random)
        let isMember = exact.contains(position)
        members += isMember ? 1 : 0
        guard area.contains(position) != isMember else { continue }
        Issue.record("SEED=\(SplitMix64.seed) \(kind.rawValue) \(turn): \(position) is \(isMember)")
        return
      }
    }
    // both answers occur
    #expect(members > areaCount * pointCount / 20)
    #expect(members < areaCount * pointCount * 49 / 50)
  }

  @Test(arguments: AreaKind.allCases)
  func `the bounding box holds all that the area holds`(_ kind: AreaKind) throws {
    var random = SplitMix64(stream: "area box \(kind.rawValue)")
    for _ in 0..<20 {
      let area = try kind.area(using: &random)
      for _ in 0..<100 {
        let position = AreaKind.position(near: area, using: &random)
        let isOutside = area.contains(position) && !area.boundingBox.contains(position)
        #expect(!isOutside, "\(position) \(area.boundingBox)")
      }
    }
  }

  @Test func `the bounding box crosses the antimeridian if that is narrower`() throws {
    let west = Self.ring((177, -20), (180, -20), (180, -10), (177, -10))
    let east = Self.ring((-180, -20), (-178, -20), (-178, -10), (-180, -10))
    #expect(try Area([[west], [east]]).boundingBox.description == "177.0,-20.0,-178.0,-10.0")
    let beyond = Self.ring((177, -20), (182, -20), (182, -10))
    let box = try Area([[beyond]]).boundingBox
    #expect(box.west == 177 && abs(box.east + 178) < 1e-12)
    let far = Self.ring((-10, 5), (10, 5), (0, 8))
    #expect(try Area([[far]]).boundingBox.description == "-10.0,5.0,10.0,8.0")
    let world = Self.ring((-180, -90), (180, -90), (180, 90), (-180, 90))
    #expect(try Area([[world]]).boundingBox == .world)
    // what is beyond 180 covers the start
    let around = Self.ring((170, 0), (550 - 20, 0), (300, 3))
    #expect(try Area([[around]]).boundingBox.west == -180)
  }

  @Test func `every boundary is in, that of a hole too`() throws {
    let area = try Area([
      [Self.ring((0, 0), (8, 0), (8, 8), (0, 8)), Self.ring((2, 2), (6, 2), (6, 6), (2, 6))]
    ])
    let inside = [(0, 0), (0, 4), (8, 8), (4, 8), (2, 2), (4, 2), (6, 4), (1, 4), (7, 4), (8, 3)]
    for (x, y) in inside { #expect(area.contains(.at(Double(y), Double(x))), "\(x) \(y)") }
    let outside = [(4.0, 4.0), (2.0.nextUp, 4), (-0.0.nextUp, 4), (8.0.nextUp, 4), (4, 8.0.nextUp)]
    for (x, y) in outside { #expect(!area.contains(.at(y, x)), "\(x) \(y)") }
  }

  @Test func `even-odd decides where a ring crosses itself`() throws {
    let star = try Area([[Self.ring((0, 3), (2, -3), (-3, 1), (3, 1), (-2, -3))]])
    #expect(!star.contains(.at(0, 0)))
    #expect(star.contains(.at(2, 0)))
    // but the parts of an area are joined
    let square = Self.ring((0, 0), (4, 0), (4, 4), (0, 4))
    #expect(try Area([[square], [square]]).contains(.at(1, 1)))
    #expect(try !Area([[square, square]]).contains(.at(1, 1)))
    #expect(try Area([[square, square]]).contains(.at(0, 1)))
  }

  @Test func `a turn of 360 degrees rounds no digit away`() throws {
    // the sum of a longitude and 360 needs more than 53 bits
    let edge = Self.ring((360, -1), (370, -1), (370, 1), (360, 1))
    let area = try Area([[edge]])
    #expect(area.contains(.at(0, 0)))
    #expect(area.contains(.at(0, 1e-300)))
    #expect(!area.contains(.at(0, -1e-300)))
    let slanted = try Area([[Self.ring((360, 0), (361, 1), (361, 0))]])
    #expect(slanted.contains(.at(0x1p-60, 0x1p-60)))
    #expect(!slanted.contains(.at((0x1p-60).nextUp, 0x1p-60)))
    #expect(slanted.contains(.at(0x1p-60, (0x1p-60).nextUp)))
  }

  @Test func `the smallest of numbers are told apart`() throws {
    for step in [.leastNonzeroMagnitude, .leastNormalMagnitude / 256, 1e-200, 1e-100] as [Double] {
      let area = try Area([[Self.ring((0, 0), (3 * step, step), (540, 0))]])
      #expect(area.contains(.at(step, 3 * step)))
      #expect(area.contains(.at(0, step)))
      #expect(!area.contains(.at(step, 2 * step)))
      #expect(area.contains(.at(step, 3 * step)))
    }
    let (start, end) = (SIMD2(0.0, 0), SIMD2(1.0, 1))
    let side = Orientation.side(of: PlanePoint(x: 0.5, y: 0.5.nextUp), start, end)
    #expect(side == 1)
    #expect(Orientation.exactSide(of: PlanePoint(x: 0.5, y: 0.5), start, end) == 0)
  }

  @Test func `a pole is in the area that reaches it`() throws {
    let cap = try Area([[Self.ring((-180, 80), (180, 80), (180, 90), (-180, 90))]])
    for longitude in [-180.0, -90, 0, 180] {
      #expect(cap.contains(.at(90, longitude)))
      #expect(cap.contains(.at(80, longitude)))
      #expect(!cap.contains(.at(80.0.nextDown, longitude)))
      #expect(!cap.contains(.at(-90, longitude)))
    }
    let spike = try Area([[Self.ring((10, 0), (20, 0), (15, 90))]])
    #expect(spike.contains(.at(90, -100)))
    let wide = try Area([[Self.ring((-180, 0), (180, 0), (180, 89), (-180, 89))]])
    #expect(!wide.contains(.at(90, 0)))
  }

  @Test func `180 and -180 are one meridian`() throws {
    for side in [-540.0, -180, 180, 540] {
      let toward = side < 0 ? 1.0 : -1
      let area = try Area([[Self.ring((side, 0), (side + toward, 0), (side, 1))]])
      #expect(area.contains(.at(0.5, 180)), "\(side)")
      #expect(area.contains(.at(0.5, -180)), "\(side)")
    }
  }

  @Test func `what is not an area is refused with its place`() throws {
    let good = Self.ring((0, 0), (1, 0), (1, 1))
    func message(_ polygons: [[Area.Ring]]) -> String? {
      do throws(AreaError) {
        _ = try Area(polygons)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(message([]) == "an area needs a polygon")
    #expect(message([[], []]) == "an area needs a polygon")
    #expect(message([[], [good]]) == nil)
    #expect(
      message([[good], [good, Array(good.dropLast())]])
        == "hole 1 of polygon 2 is not closed: its last position must be its first"
    )
    #expect(
      message([[Array(good.prefix(2)) + good.prefix(1)]])
        == "the outline of polygon 1 has 3 positions; a ring has at least four"
    )
    #expect(message([[[]]]) == "the outline of polygon 1 has 0 positions; a ring has at least four")
    for (longitude, latitude) in [
      (Double.nan, 0.0), (0, .nan), (.infinity, 0), (540.0.nextUp, 0), (0, 90.0.nextUp), (0, -91),
    ] {
      var ring = good
      ring[2] = Area.Vertex(longitude: longitude, latitude: latitude)
      #expect(
        message([[good, ring]])
          == """
          position 3 of hole 1 of polygon 1, longitude \(longitude) and latitude \(latitude), is \
          not in -540...540 and -90...90
          """
      )
    }
    let many = Array(repeating: good, count: 250_001)
    #expect(message([many]) == "an area has at most 1000000 vertices, not 1000004")
    #expect(message([Array(many.dropLast())]) == nil)
  }

  static func ring(_ corners: (Double, Double)...) -> Area.Ring {
    (corners + corners.prefix(1)).map { Area.Vertex(longitude: $0.0, latitude: $0.1) }
  }
  static func star(
    _ center: Coordinate,
    _ radius: Double,
    _ count: Int,
    _ random: inout SplitMix64
  ) throws -> Area {
    let latitude = min(89 - radius, max(radius - 89, center.latitude))
    return try Area([[AreaKind.star((center.longitude, latitude), radius, count, &random)]])
  }
}

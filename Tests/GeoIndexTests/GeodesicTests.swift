import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct GeodesicTests {
  /// A pair of positions and its distance by PROJ 9.5.1 (`pyproj.Geod(ellps="WGS84").inv`), meters.
  struct Reference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: Coordinate
    let end: Coordinate
    let meters: Double

    init(_ name: String, _ start: (Double, Double), _ end: (Double, Double), _ meters: Double) {
      testDescription = name
      self.start = .at(start.0, start.1)
      self.end = .at(end.0, end.1)
      self.meters = meters
    }
  }

  static let references = [
    Reference("Paris to London", (48.8566, 2.3522), (51.5074, -0.1278), 343_923.120090989),
    Reference("New York to Sydney", (40.7128, -74.006), (-33.8688, 151.2093), 15_988_007.484810652),
    Reference("Dallas to Fort Worth", (32.7767, -96.797), (32.7555, -97.3308), 50_071.709914308),
    Reference("Fiji across the antimeridian", (-16.8, 179.9), (-16.8, -179.9), 21_319.625168063),
    Reference("one degree of the equator", (0, 0), (0, 1), 111_319.490793274),
    Reference("one degree of a meridian at the equator", (0, 0), (1, 0), 110_574.388557799),
    Reference("one degree of a meridian at the pole", (89, 0), (90, 0), 111_693.864914200),
    Reference("a quarter of a meridian", (0, 0), (90, 0), 10_001_965.729312724),
    Reference("from pole to pole", (-90, 0), (90, 0), 20_003_931.458625447),
    Reference("a quarter of the equator", (0, 0), (0, 90), 10_018_754.171394622),
    Reference("the equator short of its lift-off", (0, 0), (0, 179.39), 19_969_603.453405343),
    Reference("the equator past its lift-off", (0, 0), (0, 179.5), 19_980_861.908890963),
    Reference("antipodes on the equator", (0, 0), (0, 180), 20_003_931.458625447),
    Reference("antipodes at 30 degrees", (30, 0), (-30, 180), 20_003_931.458625447),
    Reference("antipodes at 89 degrees", (89, -90), (-89, 90), 20_003_931.458625447),
    Reference("nearly antipodal at the equator", (0, 0), (0.5, 179.5), 19_936_288.578965314),
    Reference("nearly antipodal, Vincenty's failure", (0, 0), (0.5, 179.7), 19_944_127.420750458),
    Reference("nearly antipodal off the equator", (30, 0), (-30.1, 179.9), 19_992_090.411473345),
    Reference(
      "nearly antipodal on the astroid's cusp",
      (30, 0),
      (-30, 179.8),
      20_000_239.437724669
    ),
    Reference(
      "nearly antipodal at a high latitude",
      (-80, 10),
      (80.01, -170.02),
      20_002_791.049056064
    ),
    Reference("over a pole", (80, 0), (80, 180), 2_233_651.714751699),
    Reference("nearly over a pole", (80, 0), (79, 179.9999), 2_345_308.179526393),
    Reference("beside a pole", (89.9999, 0), (89.9999, 90), 15.795914073),
    Reference("one meter", (45, 45), (45.000009, 45), 1.000185997),
    Reference("a centimeter", (-33.9, 18.4), (-33.9, 18.4000001), 0.009249290),
    Reference("ten kilometers", (10, 20), (10.06, 20.07), 10_145.633692430),
    Reference("a hundred kilometers", (50, 0), (50, 1.394), 99_942.433962403),
    Reference("just under 400 km of chord", (50, 0), (50, 5.58), 399_969.496647473),
    Reference("just over 400 km of chord", (50, 0), (50, 5.585), 400_327.725652692),
    Reference("400 km of a meridian at the equator", (0, 0), (3.6, 0), 398_072.649042902),
    Reference("along a parallel at 60 degrees", (60, 0), (60, 180), 6_695_785.819644422),
    Reference("far south to far north", (-77.85, 166.67), (78.22, 15.65), 19_339_960.551163718),
    Reference("a tenth of a second apart at 180", (12.5, 180), (12.5, -179.99997), 3.260934596),
    Reference("Karney's example of 2013", (-30, 0), (29.9, 179.8), 19_989_832.827609532),
    Reference(
      "far and oblique, where C3 tells most",
      (38.2, 113.3),
      (-35.2, 166.8),
      9_820_570.375500323
    ),
    Reference("Quito to Singapore", (-0.1807, -78.4678), (1.3521, 103.8198), 19_743_445.680717908),
  ]

  @Test(arguments: references)
  func `a distance is that of PROJ`(_ reference: Reference) {
    let distance = reference.start.distance(to: reference.end)
    // 0.1 um by the chord formula; beyond it a few roundings of 4 nm
    #expect(abs(distance - reference.meters) < (distance < 401_000 ? 1e-7 : 2e-8))
    #expect(reference.end.distance(to: reference.start) == distance)
  }

  @Test func `beyond 400 km of chord a distance is that of Karney's inverse, bit for bit`() {
    var random = SplitMix64(stream: "beyond the chord formula")
    for _ in 0..<200 {
      let one = random.coordinate()
      let other = random.step(from: one, meters: random.double(in: 410_000...1_200_000))
      #expect(one.distance(to: other) == GeodesicInverse(from: one, to: other).distance)
    }
  }

  @Test(arguments: PairKind.allCases)
  func `a distance is symmetric, at least its chord and never nan`(_ kind: PairKind) {
    var random = SplitMix64(stream: "pairs of \(kind)")
    for _ in 0..<500 {
      let (one, other) = kind.pair(using: &random)
      let distance = one.distance(to: other)
      let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other)).squared.squareRoot()
      let pair = "SEED=\(SplitMix64.seed) \(one) to \(other)"
      #expect(distance.bitPattern == other.distance(to: one).bitPattern, "\(pair)")
      #expect(distance >= chord, "\(pair)")
      #expect(distance <= 20_003_931.4587, "\(pair)")
      #expect(one.distance(to: one) == 0)
    }
  }

  /// The largest difference between the chord formula and Karney's inverse, meters, over pairs whose
  /// chord is in a range.
  private static func greatestError(_ kilometers: ClosedRange<Double>, pairs: Int) -> Double {
    var random = SplitMix64(stream: "error \(kilometers)")
    var worst = 0.0
    for _ in 0..<pairs {
      let one = random.coordinate()
      let reach = kilometers.lowerBound * 994...kilometers.upperBound * 1_006
      let other = random.step(from: one, meters: random.double(in: reach))
      let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other)).squared.squareRoot()
      guard kilometers.contains(chord / 1_000) else { continue }
      let karney = GeodesicInverse(from: one, to: other).distance
      worst = max(worst, abs(one.distance(to: other) - karney))
    }
    return worst
  }

  @Test func `the chord formula is Karney's inverse to 10 nm up to 300 km and to 55 nm up to 400`()
  {
    #if DEBUG
    let pairs = 3_000
    #else
    let pairs = 60_000
    #endif
    // next to the formula's own error two roundings of a place, 1 nm each, and Karney's 4 nm
    #expect(Self.greatestError(0...30, pairs: pairs) < 10e-9)
    // without the change of curvature 8 nm
    #expect(Self.greatestError(40...50, pairs: pairs) < 5e-9)
    #expect(Self.greatestError(30...300, pairs: pairs) < 20e-9)
    let last = Self.greatestError(300...400, pairs: pairs)
    #expect(last < 60e-9)
    #expect(last > 0)
  }

  @Test func `the formula does not jump where its parts begin and end`() {
    var random = SplitMix64(stream: "jumps")
    // meters of chord, and how far the two sides may lie apart
    for (limit, tolerance) in [(25_000.0, 5e-9), (400_000, 1e-7)] {
      for _ in 0..<200 {
        let one = random.coordinate()
        let other = random.step(from: one, meters: limit)
        guard let (below, above) = Self.crossing(limit, from: one, to: other) else { continue }
        let chords = [below, above].map {
          Chord(from: ECEFPoint(one), to: ECEFPoint($0)).squared.squareRoot()
        }
        #expect(chords[0] <= limit && chords[1] > limit)
        let growth = one.distance(to: above) - one.distance(to: below)
        #expect(abs(growth - (chords[1] - chords[0])) < tolerance, "\(one) to \(above)")
      }
    }
  }

  /// Two ends a hair apart, on both sides of a length of chord, by halving a step in latitude.
  private static func crossing(
    _ limit: Double,
    from one: Coordinate,
    to other: Coordinate
  ) -> (below: Coordinate, above: Coordinate)? {
    func chord(_ end: Coordinate) -> Double {
      Chord(from: ECEFPoint(one), to: ECEFPoint(end)).squared.squareRoot()
    }
    let step = other.latitude < one.latitude ? -0.05 : 0.05
    var (below, above) = (other.latitude - step, other.latitude + step)
    guard chord(.at(below, other.longitude)) <= limit, chord(.at(above, other.longitude)) > limit
    else { return nil }
    while (above - below).magnitude > 1e-12 {
      let middle = (above + below) / 2
      if chord(.at(middle, other.longitude)) <= limit { below = middle } else { above = middle }
    }
    return (.at(below, other.longitude), .at(above, other.longitude))
  }

  @Test func `two lengths at once are those one by one`() {
    var random = SplitMix64(stream: "pairwise")
    for _ in 0..<2_000 {
      let start = ECEFPoint(random.coordinate())
      let ends = [0, 1].map { _ in
        ECEFPoint(random.step(from: start.coordinate, meters: random.double(in: 0...60_000)))
      }
      let pair = Chords(
        from: start,
        x: SIMD2(ends[0].x, ends[1].x),
        y: SIMD2(ends[0].y, ends[1].y),
        z: SIMD2(ends[0].z, ends[1].z)
      )
      let both = Geodesic.nearDistances(pair)
      for lane in 0..<2 {
        let distance = Geodesic.distance(from: start, to: ends[lane])
        #expect(both[lane].bitPattern == distance.bitPattern)
        let squared = Chord(from: start, to: ends[lane]).squared
        #expect(pair.squared[lane].bitPattern == squared.bitPattern)
      }
    }
  }

  @Test func `places too close to tell apart are zero meters apart`() {
    let distance = Coordinate.at(0, 0).distance(to: .at(0, 1e-300))
    #expect(distance == 0)
    #expect(Coordinate.at(1e-162, 0).distance(to: .at(0, 0)) >= 0)
    #expect(!Coordinate.at(1e-170, 1e-165).distance(to: .at(0, 0)).isNaN)
  }

  @Test func `the smallest chords give neither nan nor less than themselves`() {
    let start = ECEFPoint(.at(0, 0))
    for exponent in stride(from: -330.0, through: -1, by: 0.5) {
      for (y, z) in [
        (pow(10, exponent), 0), (0, pow(10, exponent)), (pow(10, exponent), -pow(10, exponent)),
      ] {
        let distance = Geodesic.nearDistance(from: start, x: start.x, y: y, z: z)
        let chord = Chord(x: 0, y: y, z: z).squared.squareRoot()
        #expect(distance >= chord)
        #expect(distance <= chord * (1 + 0x1p-50))
      }
    }
  }
}

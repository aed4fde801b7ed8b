import Testing

@testable import GeoIndex

struct GeodesicTests {
  /// A pair of positions and its distance by PROJ 9.5.1 (`pyproj.Geod(ellps="WGS84").inv`), metres.
  struct Reference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: Coordinate
    let end: Coordinate
    let metres: Double

    init(_ name: String, _ start: (Double, Double), _ end: (Double, Double), _ metres: Double) {
      testDescription = name
      self.start = .at(start.0, start.1)
      self.end = .at(end.0, end.1)
      self.metres = metres
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
    Reference("one metre", (45, 45), (45.000009, 45), 1.000185997),
    Reference("a centimetre", (-33.9, 18.4), (-33.9, 18.4000001), 0.009249290),
    Reference("ten kilometres", (10, 20), (10.06, 20.07), 10_145.633692430),
    Reference("just under 100 km of chord", (50, 0), (50, 1.394), 99_942.433962403),
    Reference("just over 100 km of chord", (50, 0), (50, 1.396), 100_085.819234308),
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
    // 0.3 um by the chord formula; beyond it a few roundings of 4 nm
    #expect(abs(distance - reference.metres) < (distance < 101_000 ? 0.3e-6 : 2e-8))
    #expect(reference.end.distance(to: reference.start) == distance)
  }

  @Test(arguments: PairKind.allCases)
  func `a distance is symmetric, at least its chord and never nan`(_ kind: PairKind) {
    var random = SplitMix64(stream: "pairs of \(kind)")
    for _ in 0..<500 {
      let (one, other) = kind.pair(using: &random)
      let distance = one.distance(to: other)
      let chord = Chord(from: Site(one), to: Site(other)).squared.squareRoot()
      let pair = "SEED=\(SplitMix64.seed) \(one) to \(other)"
      #expect(distance.bitPattern == other.distance(to: one).bitPattern, "\(pair)")
      #expect(distance >= chord, "\(pair)")
      #expect(distance <= 20_003_931.4587, "\(pair)")
      #expect(one.distance(to: one) == 0)
    }
  }

  @Test func `the two formulas meet at 100 km within a micrometre`() {
    var random = SplitMix64(stream: "limit")
    var worst = 0.0
    for _ in 0..<2_000 {
      let one = random.coordinate()
      let other = random.step(from: one, metres: random.double(in: 50_000...99_000))
      let chord = Chord(from: Site(one), to: Site(other)).squared.squareRoot()
      guard chord <= Geodesic.greatestNearChord else { continue }
      let karney = GeodesicInverse(from: one, to: other).distance
      worst = max(worst, abs(one.distance(to: other) - karney))
    }
    #expect(worst < 0.3e-6)
    #expect(worst > 0)
  }

  @Test func `places too close to tell apart are zero metres apart`() {
    let distance = Coordinate.at(0, 0).distance(to: .at(0, 1e-300))
    #expect(distance == 0)
    #expect(Coordinate.at(1e-162, 0).distance(to: .at(0, 0)) >= 0)
    #expect(!Coordinate.at(1e-170, 1e-165).distance(to: .at(0, 0)).isNaN)
  }
}

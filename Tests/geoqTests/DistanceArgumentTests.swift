import Testing

@testable import geoq

struct DistanceArgumentTests {
  @Test(arguments: [
    ("500", 500), ("0", 0), ("2e3", 2_000), ("87m", 87), ("87 M", 87), ("1.5km", 1_500),
    ("1.5 KM", 1_500),
    ("1mi", 1_609.344), ("2 Mi", 3_218.688), ("1ft", 0.3048), ("300 FT", 91.44),
    (" 12 km ", 12_000),
    ("1e3m", 1_000), ("+5", 5), ("12\tm", 12),
  ])
  func `a distance is read as meters`(text: String, meters: Double) throws {
    #expect(try abs(parseDistance(text) - meters) < 1e-9)
  }

  @Test
  func `minus nothing is nothing`() throws {
    #expect(try parseDistance("-0").sign == .plus)
  }

  @Test(arguments: [
    "", " ", "m", "km", "--json", "1,5km", "1.5 k m", "1yd", "1 kmm", "nan", "inf", "infkm",
    "0x10m",
    "1_000m", "1e400", "1e308km", "5 m 3", "five",
  ])
  func `anything else is refused with an example`(text: String) {
    let problem = #expect(throws: ArgumentProblem.self) { try parseDistance(text) }
    let sentence = "expected a distance such as 500, 1.5km, 2mi or 300ft, got \"\(text)\""
    #expect(problem?.description == sentence)
  }

  @Test
  func `a negative distance is refused`() {
    let problem = #expect(throws: ArgumentProblem.self) { try parseDistance("-3 km") }
    #expect(problem?.description == "a distance is never negative, got \"-3 km\"")
  }

  @Test
  func `a refused text is shown without its controls`() {
    let problem = #expect(throws: ArgumentProblem.self) { try parseDistance("\u{1B}[2J") }
    #expect(problem?.description.hasSuffix(#"got "\u{1b}[2J""#) == true)
  }

  @Test(arguments: [
    (0, "0 m"), (0.4, "0 m"), (87.2, "87 m"), (999.4, "999 m"), (999.5, "1.0 km"),
    (1_000, "1.0 km"),
    (1_049, "1.0 km"), (1_050, "1.1 km"), (1_400, "1.4 km"), (9_949, "9.9 km"), (9_950, "10 km"),
    (12_345, "12 km"), (999_499, "999 km"), (999_500, "1,000 km"), (13_800_000, "13,800 km"),
    (20_003_931.5, "20,004 km"), (1e12, "1,000,000,000 km"),
  ])
  func `a distance is rounded for people`(meters: Double, text: String) {
    #expect(formatDistance(meters) == text)
  }
}

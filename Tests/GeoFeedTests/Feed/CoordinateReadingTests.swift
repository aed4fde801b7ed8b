import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct CoordinateReadingTests {
  /// A position or the sentence that refuses it.
  private func read(
    _ latitude: JSONValue?,
    _ longitude: JSONValue?
  ) -> (bits: [UInt64]?, warnings: [String], problem: String?) {
    do throws(FeedProblem) {
      let reading = try CoordinateReading(latitude: latitude, longitude: longitude)
      return (reading.coordinate.bits, reading.warnings, nil)
    } catch {
      return (nil, [], error.text)
    }
  }

  @Test(arguments: [
    ("32.95078700000000001", 32.950787), ("40", 40.0), ("-0.0", -0.0), ("-0", -0.0), ("90", 90.0),
    ("-90", -90.0), ("8.9999999999999999e1", 90.0), ("5e-324", .leastNonzeroMagnitude),
    ("1e-400", 0.0),
  ])
  func `a number is taken bit for bit`(_ token: String, _ degrees: Double) {
    let found = read(.number(token), .number("180"))
    #expect(found.bits == [degrees.bitPattern, (180.0).bitPattern])
    #expect(found.warnings.isEmpty)
  }

  @Test func `a number written as text is taken with a warning`() {
    let found = read(.string("32.5"), .string("-9.68e1"))
    #expect(found.bits == [(32.5).bitPattern, (-96.8).bitPattern])
    #expect(
      found.warnings == [
        "latitude \"32.5\" is text; read as a number",
        "longitude \"-9.68e1\" is text; read as a number",
      ]
    )
  }

  @Test(
    arguments: [
      (nil, .number("1"), "latitude is missing"),
      (.number("1"), nil, "longitude is missing"),
      (.null, .number("1"), "latitude is missing"),
      (.bool(true), .number("1"), "latitude is true, not a number"),
      (.number("1"), .array([]), "longitude is an array, not a number"),
      (.number("1"), .object([]), "longitude is an object, not a number"),
      (.string(""), .number("1"), "latitude \"\" is not a number"),
      (.string("48,2,1"), .number("1"), "latitude \"48,2,1\" is not a number"),
      (.string("48.2E"), .number("1"), "latitude \"48.2E\" is not a number"),
      (.string("4 8"), .number("1"), "latitude \"4 8\" is not a number"),
      (.string("nan"), .number("1"), "latitude \"nan\" is not a number"),
      (.string("inf"), .number("1"), "latitude \"inf\" is not a number"),
      (.string("0x10"), .number("1"), "latitude \"0x10\" is not a number"),
      (.string("٤٨"), .number("1"), "latitude \"٤٨\" is not a number"),
      (.string("1-2"), .number("1"), "latitude \"1-2\" is not a number"),
      (.number("1"), .number("1e400"), "longitude 1e400 is too large for a number"),
      (.number("1"), .string("-1e400"), "longitude -1e400 is too large for a number"),
      (
        .number("95.2"), .number("10"),
        "latitude 95.2 is not in -90...90; are latitude and longitude swapped?"
      ),
      (
        .number("-96.8"), .number("32.9"),
        "latitude -96.8 is not in -90...90; are latitude and longitude swapped?"
      ),
      (.number("90.0000001"), .number("100"), "latitude 90.0000001 is not in -90...90"),
      (.number("200"), .number("10"), "latitude 200.0 is not in -90...90"),
      (.number("10"), .number("180.0000001"), "longitude 180.0000001 is not in -180...180"),
      (.number("10"), .number("-540"), "longitude -540.0 is not in -180...180"),
    ] as [(JSONValue?, JSONValue?, String)]
  )
  func `what is not a position is refused by name`(
    _ latitude: JSONValue?,
    _ longitude: JSONValue?,
    _ problem: String
  ) {
    #expect(read(latitude, longitude).problem == problem)
  }

  @Test func `a long value is shortened in the sentence`() {
    let text = String(repeating: "x", count: 1_000_000)
    let shown = String(repeating: "x", count: 39) + "…"
    #expect(read(.string(text), nil).problem == "latitude \"\(shown)\" is not a number")
    let digits = String(repeating: "9", count: 1_000_000)
    let shownDigits = String(repeating: "9", count: 39) + "…"
    #expect(
      read(.number(digits), .number("1")).problem
        == "latitude \(shownDigits) is too large for a number"
    )
  }
}

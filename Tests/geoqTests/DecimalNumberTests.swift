import GeoQuery
import Testing

@testable import geoq

struct DecimalNumberTests {
  @Test(arguments: [
    ("0", 0), ("12", 12), ("-96.7970", -96.797), ("+1.5", 1.5), ("1e3", 1_000), ("1.5E-1", 0.15),
    ("2e+2", 200), ("007", 7), ("1e-400", 0), ("-0", 0),
    (".5", 0.5), ("5.", 5), ("-.5e1", -5),
  ])
  func `a decimal number is read`(text: String, value: Double) {
    #expect(parseDecimal(text) == value)
  }

  @Test(arguments: [
    "", "-", "+", ".", "-.", ".e1", "1e", "1e+", "e5", "--1", "1.2.3", "1,5", "1_000", "0x1F",
    "inf", "-inf", "nan", "infinity", "1e400", "-1e400", " 1", "1 ", "1\n", "١٢", "１", "1\u{301}",
    "1 000",
  ])
  func `anything else is not`(text: String) {
    #expect(parseDecimal(text) == nil)
  }

  @Test
  func `blanks and tabs are trimmed, nothing else`() {
    #expect(" \t1 2\t ".trimmingBlanks == "1 2")
    #expect("\n1".trimmingBlanks == "\n1")
    #expect("  ".trimmingBlanks == "")
  }
}

import GeoStore
import Testing

@testable import geoq

struct ProgressBarTests {
  private func line(_ records: Int, _ bytes: Int, size: Int?, seconds: Double = 2) -> String {
    ImportProgress(records: records, bytes: bytes).line(size: size, seconds: seconds)
  }

  @Test func `the line has the records and their rate, and the time left where it is known`() {
    #expect(line(30_000, 500, size: nil) == "30,000 records, 15,000 a second")
    #expect(line(30_000, 500, size: 2_000) == "30,000 records, 15,000 a second, 25 %, 6 s left")
    #expect(line(0, 0, size: 2_000, seconds: 0) == "0 records, 0 a second")
  }

  @Test func `no time left is guessed before there is something to guess from`() {
    #expect(line(30, 1_000, size: 2_000, seconds: 0.5) == "30 records, 60 a second, 50 %")
    #expect(line(30, 1, size: 2_000) == "30 records, 15 a second, 0 %")
    #expect(line(9, 3_000, size: 2_000) == "9 records, 4 a second, 100 %, 0 s left")
  }

  @Test func `a step that does not know its end shows its seconds`() {
    #expect(ProgressBar.line("writing the database", seconds: 12.9) == "writing the database, 12 s")
  }
}

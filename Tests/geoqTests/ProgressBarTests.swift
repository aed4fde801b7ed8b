import GeoStore
import Testing

@testable import geoq

struct ProgressBarTests {
  private func line(_ records: Int, _ bytes: Int, size: Int?, seconds: Double = 2) -> String {
    ProgressBar.line(ImportProgress(records: records, bytes: bytes), size: size, seconds: seconds)
  }

  @Test func `the line has the records and their rate, and the time left where it is known`() {
    #expect(line(30_000, 500, size: nil) == "30,000 records, 15,000 a second")
    #expect(line(30_000, 500, size: 2_000) == "30,000 records, 15,000 a second, 25 %, 6 s left")
    #expect(line(0, 0, size: 2_000, seconds: 0) == "0 records, 0 a second")
    #expect(line(9, 2_000, size: 2_000) == "9 records, 4 a second, writing the index")
  }
}

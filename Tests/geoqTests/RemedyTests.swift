import GeoQuery
import Testing

@testable import geoq

/// The libraries' messages in the words of the tool.
struct RemedyTests {
  @Test func `every remedy has words of its own, and none is part of another`() {
    for remedy in Remedy.allCases {
      let others = Remedy.allCases.filter { $0 != remedy }
      #expect(!others.contains { $0.rawValue.contains(remedy.rawValue) }, "\(remedy)")
      let message = Remedy.naming("lunch.csv: wrong; \(remedy)")
      #expect(message.hasPrefix("lunch.csv: wrong; "))
      #expect(!message.contains(remedy.rawValue) || message.contains("--"), "\(remedy)")
      #expect(["-", "geoq "].contains { message.contains($0) }, "\(remedy)")
      #expect(!["--", "geoq "].contains { remedy.rawValue.contains($0) }, "\(remedy)")
    }
  }

  @Test func `a message without a remedy stays`() {
    #expect(Remedy.naming("") == "")
    #expect(Remedy.naming("latitude 95 is not in -90...90") == "latitude 95 is not in -90...90")
  }
}

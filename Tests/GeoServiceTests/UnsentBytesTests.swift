import Testing

@testable import GeoService

/// Answers that wait for their readers.
struct UnsentBytesTests {
  @Test func `an answer may be larger than all that may wait, if nothing waits`() {
    let unsent = UnsentBytes(limit: 10)
    let share = unsent.share(of: 1_000)
    #expect(share != nil)
    #expect(unsent.isUsedUp)
    #expect(unsent.share(of: 1) == nil)
    withExtendedLifetime(share) {}
  }

  @Test func `what is sent makes room again, and only what is sent`() {
    let unsent = UnsentBytes(limit: 10)
    var shares = [unsent.share(of: 4), unsent.share(of: 4)]
    #expect(!unsent.isUsedUp)
    shares.append(unsent.share(of: 4))
    #expect(shares.allSatisfy { $0 != nil })
    #expect(unsent.share(of: 4) == nil)
    shares.removeFirst()
    #expect(!unsent.isUsedUp)
    shares.append(unsent.share(of: 2))
    #expect(unsent.isUsedUp)
    shares.removeAll()
    #expect(!unsent.isUsedUp)
  }
}

import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import GeoService

/// Answers that wait for their readers.
struct ResponseBackpressureTests {
  private func peer(_ number: Int) throws -> Peer {
    Peer(try SocketAddress(ipAddress: "10.0.0.\(number)", port: 1))
  }

  @Test func `an answer may be larger than all that may wait, if nothing waits`() throws {
    let unsent = ResponseBackpressure(limit: 10, share: 5)
    let share = unsent.share(of: 1_000, for: try peer(1)) {}
    #expect(share != nil)
    #expect(unsent.share(of: 1, for: try peer(1)) {} == nil)
    #expect(unsent.share(of: 1, for: try peer(2)) {} == nil, "nobody is slow yet")
    withExtendedLifetime(share) {}
  }

  @Test func `what is sent makes room again, and only what is sent`() throws {
    let unsent = ResponseBackpressure(limit: 10, share: 10)
    let one = try peer(1)
    var shares = [unsent.share(of: 4, for: one) {}, unsent.share(of: 4, for: one) {}]
    shares.append(unsent.share(of: 4, for: one) {})
    #expect(shares.allSatisfy { $0 != nil })
    #expect(unsent.used == 12)
    #expect(unsent.share(of: 4, for: one) {} == nil)
    shares.removeFirst()
    #expect(unsent.used == 8)
    shares.removeAll()
    #expect(unsent.used == 0)
  }

  @Test func `a peer that has its share leaves the rest to others`() throws {
    let unsent = ResponseBackpressure(limit: 10, share: 5)
    let shares = [
      unsent.share(of: 5, for: try peer(1)) {}, unsent.share(of: 4, for: try peer(2)) {},
    ]
    #expect(shares.allSatisfy { $0 != nil })
    #expect(unsent.share(of: 1, for: try peer(1)) {} == nil)
    #expect(unsent.share(of: 1, for: try peer(2)) {} != nil)
    withExtendedLifetime(shares) {}
  }

  @Test func `the slowest reader goes first`() async throws {
    let unsent = ResponseBackpressure(limit: 10, share: 10)
    let cut = NIOLockedValueBox<[String]>([])
    let quick = unsent.share(of: 5, for: try peer(1)) { cut.withLockedValue { $0 += ["quick"] } }
    let slow = unsent.share(of: 5, for: try peer(2)) { cut.withLockedValue { $0 += ["slow"] } }
    quick?.sent(4)
    slow?.sent(1)
    // longer than a reader is given before it may be called slow
    try await Task.sleep(for: .milliseconds(1_100))
    let next = unsent.share(of: 5, for: try peer(3)) {}
    #expect(next != nil)
    #expect(cut.withLockedValue { $0 } == ["slow"])
    #expect(unsent.used == 10)
    withExtendedLifetime((quick, slow, next)) {}
  }
}

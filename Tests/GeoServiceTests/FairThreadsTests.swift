import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import GeoService

/// Threads that do work for one peer after the other.
struct FairThreadsTests {
  private let loop = MultiThreadedEventLoopGroup.singleton.any()

  @Test func `a peer with one thread keeps another one free for others`() async throws {
    let threads = FairThreads(count: 2, standsBack: true, isOneEach: true)
    let one = Peer(try SocketAddress(ipAddress: "10.0.0.1", port: 1))
    let two = Peer(try SocketAddress(ipAddress: "10.0.0.2", port: 1))
    let gate = DispatchSemaphore(value: 0)
    let done = NIOLockedValueBox<[String]>([])
    for name in ["first", "second", "third"] {
      threads.submit(for: one) { _ in
        if name == "first" { gate.wait() }
        done.withLockedValue { $0.append(name) }
      }
    }
    // the other peer's work is done though the first one's is held up
    for _ in 0..<3 { #expect(try await threads.run(for: two, on: loop) { 1 }.get() == 1) }
    #expect(done.withLockedValue { $0 }.isEmpty)
    gate.signal()
    // what had to wait has its turn
    #expect(try await threads.run(for: one, on: loop) { 2 }.get() == 2)
    #expect(done.withLockedValue { $0 } == ["first", "second", "third"])
    await threads.end()
    #expect(try await threads.run(for: one, on: loop) { 3 }.get() == nil)
  }

  @Test func `work that waits when the threads end is told so`() async throws {
    let threads = FairThreads(count: 2, isOneEach: true)
    let gate = DispatchSemaphore(value: 0)
    let started = DispatchSemaphore(value: 0)
    let first = threads.run(for: .none, on: loop) {
      started.signal()
      gate.wait()
      return 1
    }
    let second = threads.run(for: .none, on: loop) { 2 }
    async let end: Void = threads.end()
    DispatchQueue.global().async {
      started.wait()
      gate.signal()
    }
    // neither is forgotten, whichever came first
    let found = (try await first.get(), try await second.get())
    #expect(found.0 == 1 || found.0 == nil)
    #expect(found.1 == 2 || found.1 == nil)
    if found.0 == nil { gate.signal() }
    await end
  }
}

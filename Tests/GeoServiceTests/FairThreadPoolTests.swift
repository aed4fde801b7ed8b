import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import GeoService

/// Threads that do work for one peer after the other.
struct FairThreadPoolTests {
  private let loop = MultiThreadedEventLoopGroup.singleton.any()

  @Test func `a peer with one thread keeps another one free for others`() async throws {
    let threads = FairThreadPool("test", count: 2, lowersPriority: true, isOneEach: true)
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

  @Test func `a peer that has used little is next, whatever others have waiting`() async throws {
    let threads = FairThreadPool("test", count: 1)
    let peers = try (1...3).map { Peer(try SocketAddress(ipAddress: "10.0.0.\($0)", port: 1)) }
    let gate = DispatchSemaphore(value: 0)
    let order = NIOLockedValueBox<[Int]>([])
    // two peers have had some of the time, the second one certainly more
    let used = try await threads.run(for: peers[0], on: loop) {
      // measured in the work: this task itself may have to wait for minutes among other tests
      let start = ContinuousClock.now
      Thread.sleep(forTimeInterval: 0.02)
      return start.duration(to: .now)
    }.get()
    _ = try await threads.run(for: peers[1], on: loop) {
      let end = ContinuousClock.now.advanced(by: (used ?? .zero) * 2)
      while ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.01) }
    }.get()
    threads.submit(for: peers[0]) { _ in gate.wait() }
    // the third comes last, and is served first
    let waiting = [0, 1, 0, 1, 0, 1, 2].map { peer in
      threads.run(for: peers[peer], on: loop) {
        Thread.sleep(forTimeInterval: 0.005)
        order.withLockedValue { $0.append(peer) }
      }
    }
    gate.signal()
    for work in waiting { _ = try await work.get() }
    await threads.end()
    let found = order.withLockedValue { $0 }
    #expect(found.first == 2)
    #expect(found.sorted() == [0, 0, 0, 1, 1, 1, 2])
  }

  @Test func `continued work - of a peer with more waiting - ends before that begins`() async throws
  {
    let threads = FairThreadPool("test", count: 1)
    let (peer, other) = (
      Peer(try SocketAddress(ipAddress: "10.0.0.1", port: 1)),
      Peer(try SocketAddress(ipAddress: "10.0.0.2", port: 1))
    )
    let order = NIOLockedValueBox<[String]>([])
    let gate = DispatchSemaphore(value: 0)
    threads.submit(for: peer) { _ in
      gate.wait()
      order.withLockedValue { $0.append("first") }
      threads.submit(for: peer, continued: true) { _ in order.withLockedValue { $0.append("rest") }
      }
    }
    let later = threads.run(for: peer, on: loop) { order.withLockedValue { $0.append("second") } }
    let others = threads.run(for: other, on: loop) { order.withLockedValue { $0.append("other") } }
    gate.signal()
    _ = (try await later.get(), try await others.get())
    await threads.end()
    let found = order.withLockedValue { $0 }
    #expect(found.filter { $0 != "other" } == ["first", "rest", "second"])
    #expect(found.firstIndex(of: "other") == 1)
  }

  @Test func `work that waits when the threads end is told so`() async throws {
    let threads = FairThreadPool("test", count: 2, isOneEach: true)
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

extension FairThreadPool {
  /// Runs work when it is the peer's turn.
  ///
  /// - Returns: The result, on an event loop; `nil` if the threads are ending.
  fileprivate func run<Result: Sendable>(
    for peer: Peer,
    on loop: any EventLoop,
    _ body: @escaping @Sendable () -> Result
  ) -> EventLoopFuture<Result?> {
    let promise = loop.makePromise(of: Result?.self)
    submit(for: peer) { isActive in promise.succeed(isActive ? body() : nil) }
    return promise.futureResult
  }
}

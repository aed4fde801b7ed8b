import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#endif

/// Threads that work for each peer in turn: a peer with many requests delays only itself.
final class FairThreads: Sendable {
  private typealias Work = @Sendable (Bool) -> Void

  private struct State {
    var work: [Peer: [Work]] = [:]
    /// Peers with work, the next one at the end.
    var turns: [Peer] = []
    /// Peers whose work is running, if each has at most one thread.
    var busy: Set<Peer> = []
  }

  private let pool: NIOThreadPool
  private let standsBack: Bool
  private let isOneEach: Bool
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - count: The number of threads.
  ///   - standsBack: Whether other threads have a higher priority.
  ///   - isOneEach: Whether a peer has at most one thread at a time.
  init(count: Int, standsBack: Bool = false, isOneEach: Bool = false) {
    pool = NIOThreadPool(numberOfThreads: count)
    self.standsBack = standsBack
    self.isOneEach = isOneEach
    pool.start()
  }

  /// Runs work when it is the peer's turn.
  ///
  /// - Returns: The result, on an event loop; `nil` if the threads are ending. It never fails.
  func run<Result: Sendable>(
    for peer: Peer,
    on loop: any EventLoop,
    _ body: @escaping @Sendable () -> Result
  ) -> EventLoopFuture<Result?> {
    let promise = loop.makePromise(of: Result?.self)
    submit(for: peer) { isActive in promise.succeed(isActive ? body() : nil) }
    return promise.futureResult
  }

  /// Runs work when it is the peer's turn.
  ///
  /// - Parameters:
  ///   - peer: The peer that the work is for.
  ///   - body: The work; its argument is false if the threads are ending.
  func submit(for peer: Peer, _ body: @escaping @Sendable (Bool) -> Void) {
    state.withLockedValue { state in
      if state.work[peer] == nil, !state.busy.contains(peer) { state.turns.insert(peer, at: 0) }
      state.work[peer, default: []].append(body)
    }
    pool.submit { self.runNext($0 == .active) }
  }

  private func runNext(_ isActive: Bool) {
    // before each piece of work, because the pool does not say which thread runs it
    if standsBack { Self.standBack() }
    guard let (peer, work) = next() else { return }
    work(isActive)
    if isOneEach { giveBack(peer) }
  }

  private func next() -> (Peer, Work)? {
    state.withLockedValue { state in
      guard let peer = state.turns.popLast(), var work = state.work[peer], !work.isEmpty else {
        return nil
      }
      let next = work.removeFirst()
      state.work[peer] = work.isEmpty ? nil : work
      if isOneEach {
        state.busy.insert(peer)
      } else if !work.isEmpty {
        state.turns.insert(peer, at: 0)
      }
      return (peer, next)
    }
  }

  /// Puts a peer with more work back into the queue.
  ///
  /// A thread that found no work because the peer was busy does not look again; another thread
  /// does.
  private func giveBack(_ peer: Peer) {
    let hasWork = state.withLockedValue { state in
      state.busy.remove(peer)
      guard state.work[peer] != nil else { return false }
      state.turns.insert(peer, at: 0)
      return true
    }
    if hasWork { pool.submit { self.runNext($0 == .active) } }
  }

  /// Waits for running work, and ends.
  func end() async { try? await pool.shutdownGracefully() }

  private static func standBack() {
    #if os(Linux)
    // for this call, the number 0 means the thread, not the process
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
  }
}

import NIOConcurrencyHelpers
import NIOPosix

#if canImport(Glibc)
import Glibc
#endif

/// Threads that do work for one peer after the other: a peer that asks for much delays only itself.
final class FairThreads: Sendable {
  private typealias Work = @Sendable (Bool) -> Void

  private struct State {
    var work: [Peer: [Work]] = [:]
    /// Peers with work, the next one last.
    var turns: [Peer] = []
    /// Peers whose work is being done, if they have one thread each.
    var busy: Set<Peer> = []
  }

  private let pool: NIOThreadPool
  private let standsBack: Bool
  private let isOneEach: Bool
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - count: How many threads.
  ///   - standsBack: Whether other threads go first that want a processor.
  ///   - isOneEach: Whether a peer has one thread at a time at most.
  init(count: Int, standsBack: Bool = false, isOneEach: Bool = false) {
    pool = NIOThreadPool(numberOfThreads: count)
    self.standsBack = standsBack
    self.isOneEach = isOneEach
    pool.start()
  }

  /// Runs work when it is the peer's turn.
  ///
  /// - Returns: What it gave; `nil` if the threads are ending.
  func run<Result: Sendable>(
    for peer: Peer,
    _ body: @escaping @Sendable () -> Result
  ) async -> Result? {
    await withCheckedContinuation { continuation in
      submit(for: peer) { isActive in continuation.resume(returning: isActive ? body() : nil) }
    }
  }

  /// Runs work when it is the peer's turn.
  ///
  /// - Parameters:
  ///   - peer: Whose work it is.
  ///   - body: The work; it is told whether the threads go on.
  func submit(for peer: Peer, _ body: @escaping @Sendable (Bool) -> Void) {
    state.withLockedValue { state in
      if state.work[peer] == nil, !state.busy.contains(peer) { state.turns.insert(peer, at: 0) }
      state.work[peer, default: []].append(body)
    }
    pool.submit { self.runNext($0 == .active) }
  }

  private func runNext(_ isActive: Bool) {
    // before each piece of work: the pool does not say which of its threads runs it
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

  /// Lets a peer have its turn again.
  ///
  /// A thread that found no work because the peer had one already does not come again: another does.
  private func giveBack(_ peer: Peer) {
    let hasWork = state.withLockedValue { state in
      state.busy.remove(peer)
      guard state.work[peer] != nil else { return false }
      state.turns.insert(peer, at: 0)
      return true
    }
    if hasWork { pool.submit { self.runNext($0 == .active) } }
  }

  /// Waits for what runs, and ends.
  func end() async { try? await pool.shutdownGracefully() }

  private static func standBack() {
    #if os(Linux)
    // there a number of 0 means the thread, not the process
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
  }
}

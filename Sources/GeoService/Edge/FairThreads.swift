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
  }

  private let pool: NIOThreadPool
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - count: How many threads.
  ///   - standsBack: Whether other threads go first that want a processor.
  init(count: Int, standsBack: Bool = false) {
    pool = NIOThreadPool(numberOfThreads: count)
    pool.start()
    if standsBack { for _ in 0..<count { pool.submit { _ in Self.standBack() } } }
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
      if state.work[peer] == nil { state.turns.insert(peer, at: 0) }
      state.work[peer, default: []].append(body)
    }
    pool.submit { self.next()?($0 == .active) }
  }

  private func next() -> Work? {
    state.withLockedValue { state in
      guard let peer = state.turns.popLast(), var work = state.work[peer], !work.isEmpty else {
        return nil
      }
      let next = work.removeFirst()
      state.work[peer] = work.isEmpty ? nil : work
      if !work.isEmpty { state.turns.insert(peer, at: 0) }
      return next
    }
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

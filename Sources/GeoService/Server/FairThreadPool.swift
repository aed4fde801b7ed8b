import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Threads that work next for the peer that has used them least: a peer with many or long requests
/// delays only itself.
///
/// Each peer has a virtual time, which advances by the time of its work; the lowest is next, and a peer
/// that comes back starts at the time of the one that was served last (start-time fair queueing: Goyal,
/// Vin and Cheng, SIGCOMM 1996).
final class FairThreadPool: Sendable {
  private typealias Work = @Sendable (Bool) -> Void

  private struct State {
    var work: [Peer: [(number: Int, body: Work)]] = [:]
    var count = 0
    /// Virtual times in seconds; peers that are missing are at `now`.
    var times: [Peer: Double] = [:]
    var now = 0.0
    /// Peers whose work is running, if each has at most one thread.
    var busy: Set<Peer> = []
  }

  /// The number of virtual times from which those in the past are forgotten.
  private static let rememberedTimes = 1_024

  private let name: String
  private let pool: NIOThreadPool
  private let lowersPriority: Bool
  private let isOneEach: Bool
  private let state = NIOLockedValueBox(State())

  init(_ name: String, count: Int, lowersPriority: Bool = false, isOneEach: Bool = false) {
    self.name = name
    pool = NIOThreadPool(numberOfThreads: count)
    self.lowersPriority = lowersPriority
    self.isOneEach = isOneEach
    pool.start()
  }

  /// Runs work when it is the peer's turn; its argument is false if the threads are ending.
  ///
  /// It is continued if the peer's other work waits for it: of many that all give way to each other, none would
  /// end before its deadline.
  func submit(
    for peer: Peer,
    continued isContinued: Bool = false,
    _ body: @escaping @Sendable (Bool) -> Void
  ) {
    state.withLockedValue { state in
      state.count += 1
      let first = isContinued ? 0 : state.work[peer]?.count ?? 0
      state.work[peer, default: []].insert((state.count, body), at: first)
    }
    pool.submit { self.runNext($0 == .active) }
  }

  private func runNext(_ isActive: Bool) {
    // before each piece of work, because the pool does not say which thread runs it
    nameThread()
    guard let (peer, work) = next() else { return }
    let start = ContinuousClock.now
    work(isActive)
    let hasMore = ended(peer, after: start.duration(to: .now) / .seconds(1))
    // a thread that found this peer busy does not look again
    if isOneEach, hasMore { pool.submit { self.runNext($0 == .active) } }
  }

  private func next() -> (Peer, Work)? {
    state.withLockedValue { state in
      var first: (peer: Peer, time: Double, number: Int)?
      for (peer, work) in state.work where !state.busy.contains(peer) {
        let time = max(state.times[peer] ?? 0, state.now)
        let isSooner = first.map { (time, work[0].number) < ($0.time, $0.number) } ?? true
        if isSooner { first = (peer, time, work[0].number) }
      }
      guard let (peer, time, _) = first, let work = state.work[peer]?.removeFirst() else {
        return nil
      }
      if state.work[peer]?.isEmpty == true { state.work[peer] = nil }
      state.now = time
      state.times[peer] = time
      if isOneEach { state.busy.insert(peer) }
      return (peer, work.body)
    }
  }

  /// Adds the time of a piece of work.
  ///
  /// - Returns: Whether the peer has more work.
  private func ended(_ peer: Peer, after seconds: Double) -> Bool {
    state.withLockedValue { state in
      state.busy.remove(peer)
      state.times[peer, default: state.now] += seconds
      if state.times.count > Self.rememberedTimes {
        state.times = state.times.filter { $0.value > state.now }
      }
      return state.work[peer] != nil
    }
  }

  /// Waits for running work, and ends.
  func end() async { try? await pool.shutdownGracefully() }

  #if os(Linux)
  // with GNU's extensions only, which Swift's module of the C library does not have
  private static let setName = dlsym(nil, "pthread_setname_np").map {
    unsafeBitCast($0, to: (@convention(c) (pthread_t, UnsafePointer<CChar>) -> Int32).self)
  }
  #endif

  private func nameThread() {
    #if os(Linux)
    _ = Self.setName?(pthread_self(), "geoq-" + name)
    // for this call, the number 0 means the thread, not the process
    if lowersPriority { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
    #endif
  }
}

/// The threads for answers that take more than microseconds.
struct ServiceThreads: Sendable {
  let queries = FairThreadPool("query", count: max(2, System.coreCount))

  /// One for long queries, so that short queries do not wait for them.
  let longQueries = FairThreadPool("long", count: 1, lowersPriority: true)

  /// For plans and for reading all records, which may take seconds: at most one per peer, so that one
  /// is free for others.
  let plans = FairThreadPool(
    "plan",
    count: max(2, System.coreCount),
    lowersPriority: true,
    isOneEach: true
  )

  /// One for documents and metrics, which operators need while queries wait.
  let documents = FairThreadPool("document", count: 1)

  /// One that reads favorites, and one that writes them.
  ///
  /// Requests that wait for the database do not delay queries, and readers do not delay the owner's
  /// writes.
  let favoriteReads = FairThreadPool("favorite", count: 1, lowersPriority: true)
  let favoriteWrites = FairThreadPool("favorite", count: 1)

  /// For reading images from the disk; they are fetched on other threads.
  let images = FairThreadPool("image", count: 2, lowersPriority: true)

  /// Waits for running work, and ends.
  func end() async {
    for threads in [queries, longQueries, plans, documents, favoriteReads, favoriteWrites, images] {
      await threads.end()
    }
  }
}

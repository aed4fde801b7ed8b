import NIOCore
import NIOPosix

/// The threads on which answers are made that take their time.
struct ServiceThreads: Sendable {
  /// For queries.
  let queries: NIOThreadPool
  /// One for the queries of peers that have one running already: whoever asks for many at a time keeps
  /// those waiting less who ask for one.
  let furtherQueries = NIOThreadPool(numberOfThreads: 1)
  /// One that reads favorites, and one that writes them: whoever waits for the database to be free
  /// keeps no query waiting, and no stranger who reads keeps the owner waiting.
  let favoriteReads = NIOThreadPool(numberOfThreads: 1)
  let favoriteWrites = NIOThreadPool(numberOfThreads: 1)

  init() {
    queries = NIOThreadPool(numberOfThreads: max(2, System.coreCount))
    for pool in all { pool.start() }
  }

  private var all: [NIOThreadPool] { [queries, furtherQueries, favoriteReads, favoriteWrites] }

  /// Waits for what runs, and ends.
  func end() async {
    for pool in all { try? await pool.shutdownGracefully() }
  }
}

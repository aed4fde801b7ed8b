import NIOCore

/// The threads on which answers are made that take their time.
struct ServiceThreads: Sendable {
  /// For queries.
  let queries = FairThreads(count: max(2, System.coreCount))

  /// One for long queries, so that short queries do not wait for them.
  let longQueries = FairThreads(count: 1, standsBack: true)

  /// For plans, which may take seconds: one of a peer at a time, so that there is another for others.
  let plans = FairThreads(count: max(2, System.coreCount), standsBack: true, isOneEach: true)

  /// One that reads favorites, and one that writes them: whoever waits for the database to be free
  /// keeps no query waiting, and no stranger who reads keeps the owner waiting.
  let favoriteReads = FairThreads(count: 1, standsBack: true)
  let favoriteWrites = FairThreads(count: 1)

  /// Waits for what runs, and ends.
  func end() async {
    for threads in [queries, longQueries, plans, favoriteReads, favoriteWrites] {
      await threads.end()
    }
  }
}

import NIOCore

/// The threads for answers that take more than microseconds.
struct ServiceThreads: Sendable {
  /// For queries.
  let queries = FairThreads(count: max(2, System.coreCount))

  /// One for long queries, so that short queries do not wait for them.
  let longQueries = FairThreads(count: 1, standsBack: true)

  /// For plans, which may take seconds: at most one per peer, so that one is free for others.
  let plans = FairThreads(count: max(2, System.coreCount), standsBack: true, isOneEach: true)

  /// One that reads favorites, and one that writes them.
  ///
  /// Requests that wait for the database do not delay queries, and readers do not delay the owner's
  /// writes.
  let favoriteReads = FairThreads(count: 1, standsBack: true)
  let favoriteWrites = FairThreads(count: 1)

  /// For reading images from the disk; they are fetched on other threads.
  let images = FairThreads(count: 2, standsBack: true)

  /// Waits for running work, and ends.
  func end() async {
    for threads in [queries, longQueries, plans, favoriteReads, favoriteWrites, images] {
      await threads.end()
    }
  }
}

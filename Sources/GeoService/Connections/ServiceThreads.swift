import NIOCore

/// The threads for answers that take more than microseconds.
struct ServiceThreads: Sendable {
  /// For queries.
  let queries = FairThreads("query", count: max(2, System.coreCount))

  /// One for long queries, so that short queries do not wait for them.
  let longQueries = FairThreads("long", count: 1, standsBack: true)

  /// For plans and for reading all records, which may take seconds: at most one per peer, so that one
  /// is free for others.
  let plans = FairThreads(
    "plan",
    count: max(2, System.coreCount),
    standsBack: true,
    isOneEach: true
  )

  /// One for documents and metrics, which operators need while queries wait.
  let documents = FairThreads("document", count: 1)

  /// One that reads favorites, and one that writes them.
  ///
  /// Requests that wait for the database do not delay queries, and readers do not delay the owner's
  /// writes.
  let favoriteReads = FairThreads("favorite", count: 1, standsBack: true)
  let favoriteWrites = FairThreads("favorite", count: 1)

  /// For reading images from the disk; they are fetched on other threads.
  let images = FairThreads("image", count: 2, standsBack: true)

  /// Waits for running work, and ends.
  func end() async {
    for threads in [queries, longQueries, plans, documents, favoriteReads, favoriteWrites, images] {
      await threads.end()
    }
  }
}

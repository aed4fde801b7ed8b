/// What clients share, and how much of it is in use.
struct ServiceShares: Sendable {
  /// Open connections.
  let connections = SharedBudget(
    limit: ServiceLimits.connections,
    share: ServiceLimits.connectionsOfPeer
  )

  /// Bytes of request bodies in memory.
  let bodies = SharedBudget(
    limit: ServiceLimits.bodyBytes,
    share: ServiceLimits.bodyBytes / ServiceLimits.shareOfMemory
  )

  /// Queries that run or wait for a thread.
  let queries = SharedBudget(limit: ServiceLimits.queries, share: ServiceLimits.queries / 2)

  /// Plans that are made or wait for a thread.
  let plans = SharedBudget(limit: ServiceLimits.plans, share: ServiceLimits.plans / 2)

  /// Favorites that are read, or wait to be.
  let favoriteReads = SharedBudget(
    limit: ServiceLimits.favoriteRequests,
    share: ServiceLimits.favoriteRequests / 2
  )

  /// Favorites that are written, or wait to be; apart from reading, which strangers may do.
  let favoriteWrites = SharedBudget(
    limit: ServiceLimits.favoriteRequests,
    share: ServiceLimits.favoriteRequests
  )

  /// Answers that wait for their readers.
  let unsent = UnsentAnswers()
}

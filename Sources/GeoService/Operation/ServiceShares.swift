/// The resources that clients share, and how much of each is in use.
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
  ///
  /// A few of each peer are always taken: they only wait for their turn.
  let queries = SharedBudget(
    limit: ServiceLimits.queries,
    share: ServiceLimits.queries / 2,
    least: ServiceLimits.minimumQueries
  )

  /// Plans that run or wait for a thread.
  let plans = SharedBudget(limit: ServiceLimits.plans, share: ServiceLimits.plans / 2)

  /// Reads of favorites that run or wait.
  let favoriteReads = SharedBudget(
    limit: ServiceLimits.favoriteRequests,
    share: ServiceLimits.favoriteRequests / 2
  )

  /// Writes of favorites that run or wait; separate from reads, which any client may send.
  let favoriteWrites = SharedBudget(
    limit: ServiceLimits.favoriteRequests,
    share: ServiceLimits.favoriteRequests
  )

  /// Documents and metrics that are made: each connection may wait for one.
  let documents = SharedBudget(
    limit: ServiceLimits.connections,
    share: ServiceLimits.connectionsOfPeer
  )

  /// Requests for images that run or wait.
  let images = SharedBudget(limit: ImageLimits.requests, share: ImageLimits.requests / 2)

  /// Answers that wait for slow clients.
  let unsent = UnsentAnswers()
}

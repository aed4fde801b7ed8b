import Foundation
public import GeoIndex

/// Answers nearest, radius and box queries over a store, exactly on WGS84.
///
/// ```swift
/// let engine = QueryEngine(store: try RestaurantStore(path: "lunch.db"))
/// for match in try engine.nearest(to: addison, count: 5) {
///   print(match.restaurant.name, match.distance ?? 0)
/// }
/// ```
///
/// Answers come ordered by (distance, id), or by id where there is no centre; ids compare as UTF-8
/// bytes. Boundaries are closed. Every answer belongs to one generation of the store: an import by
/// another process is noticed by the next query.
///
/// The first query maps the snapshot beside the store, in O(1); where there is none that can be used,
/// it reads all positions and builds the index, in O(n log n).
public final class QueryEngine: Sendable {
  /// The store that is asked.
  public let store: RestaurantStore

  private let cache: IndexCache

  /// Makes an engine; nothing is read yet.
  ///
  /// - Parameters:
  ///   - store: The store to ask.
  ///   - notice: Hears, in a sentence, why the snapshot beside the store is not used and what is done
  ///     about it; the answers are the same.
  public init(
    store: RestaurantStore,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.store = store
    cache = IndexCache(store: store, notice: notice)
  }

  /// The nearest restaurants, in order of (distance, id).
  ///
  /// - Parameters:
  ///   - center: The point to measure from.
  ///   - count: How many; where fewer match, all of them.
  ///   - maximumDistance: Metres; a restaurant exactly that far away counts.
  ///   - filter: Which restaurants count; the search goes on until it has `count` of those.
  /// - Returns: Matches with a distance.
  /// - Throws: `StoreError` where the store cannot be read.
  /// - Complexity: O(log n + count) on average.
  public func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity,
    matching filter: Filter = .all
  ) throws -> [Match] {
    try matches(
      Query(.nearest(to: center, count: count, within: maximumDistance), matching: filter)
    )
  }

  /// All restaurants within a distance, in order of (distance, id).
  ///
  /// - Parameters:
  ///   - radius: Metres along the geodesic; a restaurant exactly that far away counts.
  ///   - center: The point to measure from.
  ///   - filter: Which restaurants count.
  /// - Returns: Matches with a distance.
  /// - Throws: `StoreError` where the store cannot be read.
  /// - Complexity: O(log n + h log h) on average for h answers.
  public func within(
    radius: Double,
    of center: Coordinate,
    matching filter: Filter = .all
  ) throws -> [Match] {
    try matches(Query(.radius(radius, of: center), matching: filter))
  }

  /// All restaurants in a box, in order of id.
  ///
  /// - Parameters:
  ///   - box: Edges count; west > east crosses the antimeridian.
  ///   - filter: Which restaurants count.
  /// - Returns: Matches without a distance.
  /// - Throws: `StoreError` where the store cannot be read.
  /// - Complexity: O(√n + h log h) on average for h answers.
  public func within(_ box: BoundingBox, matching filter: Filter = .all) throws -> [Match] {
    try matches(Query(.box(box), matching: filter))
  }

  /// The answers to a query, in its order.
  ///
  /// - Throws: `StoreError` where the store cannot be read; `QueryError` where the query's cursor does not
  ///   fit, or its order needs a centre.
  public func matches(_ query: Query) throws -> [Match] {
    var matches: [Match] = []
    try answer(query) { _ in
    } each: {
      matches.append($0)
    }
    return matches
  }

  /// How many restaurants a query matches, whatever its limit.
  ///
  /// - Throws: `StoreError` where the store cannot be read.
  public func count(_ query: Query) throws -> Int {
    try counting(query).total
  }

  /// How many restaurants a query matches, whatever its limit, and what the index did to count them.
  ///
  /// - Returns: The count; the statistics are nil unless the query asks to be explained.
  /// - Throws: `StoreError` where the store cannot be read.
  public func counting(_ query: Query) throws -> (total: Int, statistics: SearchStatistics?) {
    try query.check()
    if query.asksForEverything { return (try store.count(), nil) }
    return try withIndex { try $1.count(query, through: $0) }
  }

  /// Visits the answers one by one, in the query's order, without holding them all.
  ///
  /// The blocks run inside one read transaction; they must not ask the store or the engine again.
  ///
  /// - Parameters:
  ///   - query: What to look for.
  ///   - begin: Called once, before the first answer.
  ///   - each: Called for each answer; what it throws ends the visit.
  /// - Throws: `StoreError` where the store cannot be read, `QueryError` where the query's cursor does not
  ///   fit or its order needs a centre, and what the blocks throw.
  public func answer(
    _ query: Query,
    begin: (AnswerSummary) throws -> Void,
    each: (Match) throws -> Void
  ) throws {
    try query.check()
    if query.asksForEverything {
      return try store.read { reader in
        let everything = try Everything(reader)
        try begin(everything.summary)
        try everything.visit(each)
      }
    }
    try withIndex { reader, index in
      let hits = try index.search(query, through: reader)
      try begin(hits.summary(of: query, in: index))
      for start in stride(from: 0, to: hits.chosen.count, by: Self.batchSize) {
        let batch = hits.chosen[start..<min(start + Self.batchSize, hits.chosen.count)]
        let restaurants = try reader.restaurants(at: batch.map(\.position))
        for (hit, restaurant) in zip(batch, restaurants) {
          try each(Match(restaurant: restaurant, distance: hit.distance))
        }
      }
    }
  }

  /// Restaurants that are fetched together.
  private static let batchSize = 256

  /// Runs a block in one read transaction, with the index of its generation.
  ///
  /// An import may remove a snapshot between the start of the transaction and its opening; the next
  /// transaction sees the one that took its place.
  private func withIndex<Result>(
    _ body: (StoreReader, StoreIndex) throws -> Result
  ) throws -> Result {
    for _ in 0..<3 {
      do {
        return try store.read { try body($0, cache.index(for: $0, rebuilds: false)) }
      } catch let problem as SnapshotProblem where problem.isMissing {
        continue
      }
    }
    return try store.read { try body($0, cache.index(for: $0, rebuilds: true)) }
  }
}

/// The index of the newest generation seen, shared by the threads that query.
///
/// `@unchecked Sendable`: the one variable is only touched under the lock.
private final class IndexCache: @unchecked Sendable {
  private let lock = NSLock()
  private let opening: SnapshotOpening
  private var newest: StoreIndex?

  init(store: RestaurantStore, notice: @escaping @Sendable (String) -> Void) {
    opening = SnapshotOpening(store: store, notice: notice)
  }

  func index(for reader: StoreReader, rebuilds: Bool) throws -> StoreIndex {
    let state = try reader.state()
    return try lock.withLock {
      if let newest, newest.state == state { return newest }
      let index = try opening.index(reader, rebuilds: rebuilds)
      newest = index
      return index
    }
  }
}

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
/// The first query reads all positions and builds the index, in O(n log n); later ones reuse it.
public final class QueryEngine: Sendable {
  /// The store that is asked.
  public let store: RestaurantStore

  private let cache = IndexCache()

  /// Makes an engine; nothing is read yet.
  public init(store: RestaurantStore) {
    self.store = store
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
  /// - Throws: `StoreError` where the store cannot be read.
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
    try store.read { reader in
      if case .everywhere = query.region { return (try Everything(query, reader).total, nil) }
      return try cache.index(for: reader).count(query, through: reader)
    }
  }

  /// Visits the answers one by one, in the query's order, without holding them all.
  ///
  /// The blocks run inside one read transaction; they must not ask the store or the engine again.
  ///
  /// - Parameters:
  ///   - query: What to look for.
  ///   - begin: Called once, before the first answer.
  ///   - each: Called for each answer; what it throws ends the visit.
  /// - Throws: `StoreError` where the store cannot be read, and what the blocks throw.
  public func answer(
    _ query: Query,
    begin: (AnswerSummary) throws -> Void,
    each: (Match) throws -> Void
  ) throws {
    try store.read { reader in
      if case .everywhere = query.region {
        let everything = try Everything(query, reader)
        try begin(everything.summary)
        return try everything.visit(each)
      }
      let index = try cache.index(for: reader)
      let hits = try index.search(query, through: reader)
      try begin(hits.summary(of: query, in: index))
      for hit in hits.chosen {
        let restaurant = try reader.restaurant(row: index.rows[hit.position])
        try each(Match(restaurant: restaurant, distance: hit.distance))
      }
    }
  }
}

/// The index of the newest generation seen, shared by the threads that query.
///
/// `@unchecked Sendable`: the one variable is only touched under the lock.
private final class IndexCache: @unchecked Sendable {
  private let lock = NSLock()
  private var newest: StoreIndex?

  func index(for reader: StoreReader) throws -> StoreIndex {
    let generation = try reader.generation()
    return try lock.withLock {
      if let newest, newest.generation == generation { return newest }
      let index = try StoreIndex(reader, generation: generation)
      newest = index
      return index
    }
  }
}

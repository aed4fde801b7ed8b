public import GeoIndex

/// Answers nearest, radius and box queries over a snapshot, exactly on WGS84.
///
/// ```swift
/// let engine = QueryEngine(try Snapshot(path: "lunch.db.17.geoqx"))
/// for match in try engine.nearest(to: addison, count: 5) {
///   print(match.restaurant.name, match.distance ?? 0)
/// }
/// ```
///
/// Results are sorted by (distance, id), or by id if there is no center, unless the query has an
/// order; ids are compared as UTF-8 bytes. Boundaries are closed. An engine caches the last few
/// filters: make one per snapshot and keep it.
public struct QueryEngine: Sendable {
  /// The snapshot that is queried.
  public let snapshot: Snapshot

  // the results of filters, because a map that is moved repeats them; they are compared byte by byte,
  // because all queries wait for the cache
  private let filters = RecentValues<[UInt8], BitSet>(capacity: 64)

  private let favorites: @Sendable () throws -> [String]

  /// Makes an engine.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - favorites: Called for each query whose filter tests `favorite`; returns the ids of the favorites, which
  ///     are not in the snapshot.
  public init(
    _ snapshot: Snapshot,
    favorites: @escaping @Sendable () throws -> [String] = { [] }
  ) {
    self.snapshot = snapshot
    self.favorites = favorites
  }

  /// The nearest restaurants, in order of (distance, id).
  ///
  /// - Parameters:
  ///   - center: The point to measure from.
  ///   - count: The maximum number of restaurants, zero or more.
  ///   - maximumDistance: In meters, inclusive.
  ///   - filter: The filter; the search continues until it has `count` restaurants that match.
  /// - Returns: Matches with a distance.
  /// - Throws: `SnapshotError` if the file is damaged.
  /// - Complexity: O(log n + count) on average.
  public func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity,
    matching filter: Filter = .all
  ) throws -> [Match] {
    try page(
      Query(.nearest(to: center, count: count, within: maximumDistance), matching: filter)
    ).matches
  }

  /// All restaurants within a distance, in order of (distance, id).
  ///
  /// - Parameters:
  ///   - radius: In meters along the geodesic, inclusive.
  ///   - center: The point to measure from.
  ///   - filter: The filter.
  /// - Returns: Matches with a distance.
  /// - Throws: `SnapshotError` if the file is damaged.
  /// - Complexity: O(log n + h log h) on average for h answers.
  public func within(
    radius: Double,
    of center: Coordinate,
    matching filter: Filter = .all
  ) throws -> [Match] {
    try page(Query(.radius(radius, of: center), matching: filter)).matches
  }

  /// All restaurants in a box, in order of id.
  ///
  /// - Parameters:
  ///   - box: The box, including its edges; west > east crosses the antimeridian.
  ///   - filter: The filter.
  /// - Returns: Matches without a distance.
  /// - Throws: `SnapshotError` if the file is damaged.
  /// - Complexity: O(√n + h log h) on average for h answers.
  public func within(_ box: BoundingBox, matching filter: Filter = .all) throws -> [Match] {
    try page(Query(.box(box), matching: filter)).matches
  }

  /// A page of the answer to a query.
  ///
  /// - Throws: `QueryError` if the cursor belongs to another query or the order needs a center;
  ///   `QueryTimeout` if the deadline passes.
  /// - Complexity: That of the filter (`Filter`), and O(log n + page) by id or by distance, O(matches)
  ///   by another order.
  public func page(_ query: Query) throws -> Page {
    try query.check()
    let cursor = try query.cursor.map { text in try Cursor(text, of: query.fingerprint) }
    let nearest = try nearestInArea(query)
    let allowed =
      nearest == nil ? try positions(matching: query.filter, until: query.deadline) : nil
    let keys = query.effectiveOrder.map { OrderKeys($0, of: snapshot, center: query.center) }
    let ranking = try snapshot.tree.ranking(query, allowed, keys, nearest: nearest)
    try query.deadline?.check()
    let total = ranking.count
    let ranks = try self.ranks(of: query, cursor, in: ranking, keys)
    let hits = ranking.hits(ranks)
    try query.deadline?.check()
    func text(_ side: Cursor.Side, _ index: Int) -> String {
      let (position, distance) = hits[index]
      let values = keys?.values(at: position, distance: distance) ?? []
      return Cursor(side, values: values, id: snapshot.id(at: position)).text(of: query.fingerprint)
    }
    return Page(
      total: total,
      next: !ranks.isEmpty && ranks.upperBound < total ? text(.after, ranks.count - 1) : nil,
      previous: !ranks.isEmpty && ranks.lowerBound > 0 ? text(.before, 0) : nil,
      statistics: query.isExplained
        ? snapshot.tree.statistics(of: query.region, allowed, isCount: false) : nil,
      hasDistance: query.center != nil,
      snapshot: snapshot,
      startsOver: cursor?.side == .before && ranks.isEmpty && total > 0 && query.limit != 0,
      hits: hits
    )
  }

  /// The nearest restaurants in the area of a query's filter; nil if there is none, or if finding all
  /// restaurants that match takes less time.
  private func nearestInArea(_ query: Query) throws -> [Neighbor]? {
    guard case .nearest(let center, let count, let distance) = query.region,
      let area = query.filter.area, !query.isExplained, !query.filter.readsRecords,
      !remembers(query.filter)
    else { return nil }
    var others = query.filter
    others.area = nil
    let allowed = try positions(matching: others, until: query.deadline)
    if let allowed, allowed.count <= Snapshot.fewCandidates { return nil }
    let deadline = query.deadline
    let found = snapshot.tree.nearest(
      to: center,
      count: count,
      within: distance,
      where: allowed,
      in: area
    ) { deadline?.isOver ?? false }
    try deadline?.check()
    return found
  }

  /// The ranks of a query's page, with its cursor read.
  func ranks(
    of query: Query,
    _ cursor: Cursor?,
    in ranking: Ranking,
    _ keys: OrderKeys?
  ) throws(QueryError) -> Range<Int> {
    let total = ranking.count
    var start = 0
    if let cursor {
      let (position, isThere) = snapshot.lowerBound(ofID: cursor.id)
      let after = isThere && cursor.side == .after ? position + 1 : position
      let place =
        try keys?.place(of: cursor.values, position: after)
        ?? OrderPlace(keys: [], distance: 0, position: after)
      start = min(ranking.rank(of: place), total)
    }
    return Page.ranks(
      of: total,
      from: start,
      isBackward: cursor?.side == .before,
      offset: query.offset,
      limit: query.limit
    )
  }

  /// The number of restaurants that match a query, whatever its limit, offset and cursor.
  ///
  /// The index statistics are included if the query asks for them.
  ///
  /// - Throws: `QueryError`, `QueryTimeout`, as a page does.
  public func count(_ query: Query) throws -> (total: Int, statistics: SearchStatistics?) {
    try query.check()
    let allowed = try positions(matching: query.filter, until: query.deadline)
    let tree = snapshot.tree
    let statistics =
      query.isExplained ? tree.statistics(of: query.region, allowed, isCount: true) : nil
    return (tree.count(query.region, allowed), statistics)
  }

  /// Whether the result of a filter is in the cache.
  package func remembers(_ filter: Filter) -> Bool {
    filter.takesAll || filters[filter.bytes] != nil
  }

  /// The positions that match a filter; nil if all do.
  func positions(matching filter: Filter, until deadline: Deadline?) throws -> BitSet? {
    if filter.takesAll { return nil }
    if filter.testsFavorites { return try search(filter, until: deadline) }
    let key = filter.bytes
    if let known = filters[key] { return known }
    let found = try snapshot.positions(matching: filter, until: deadline)
    // clients choose how long it is
    if let found, key.count <= 1_024, filter.ids == nil {
      filters.insert(found, for: key)
    }
    return found
  }

  /// The positions that match a filter, found anew; nil if all do.
  func search(_ filter: Filter, until deadline: Deadline?) throws -> BitSet? {
    var filter = filter
    if let expression = filter.expression, expression.testsFavorites {
      filter.expression = expression.replacingFavorites(by: try favorites())
    }
    return try snapshot.positions(matching: filter, until: deadline)
  }

  /// The search for the nearest restaurants of many points; the filter is evaluated once, now.
  ///
  /// - Parameters:
  ///   - count: The maximum number of restaurants per point.
  ///   - maximumDistance: In meters, inclusive.
  ///   - filter: The filter.
  ///   - deadline: The time limit of the filter.
  /// - Returns: A function from a point to its page.
  /// - Throws: `QueryTimeout`.
  package func nearest(
    _ count: Int,
    within maximumDistance: Double = .infinity,
    matching filter: Filter = .all,
    until deadline: Deadline? = nil
  ) throws -> @Sendable (Coordinate) -> Page {
    let allowed = try positions(matching: filter, until: deadline)
    if let allowed, allowed.count <= snapshot.count / Self.treeShare {
      let members = allowed.positions(ranks: 0..<allowed.count).map(Int.init)
      let tree = KDTree(members.map { snapshot.tree[$0] })
      return { center in
        let found = tree.nearest(to: center, count: count, within: maximumDistance)
        let known = found.map { Neighbor(index: members[$0.index], distance: $0.distance) }
        return Page(known, of: snapshot)
      }
    }
    return { center in
      let found = snapshot.tree.nearest(
        to: center,
        count: count,
        within: maximumDistance,
        where: allowed
      )
      return Page(found, of: snapshot)
    }
  }

  /// The number of restaurants for each match from which the matches get a tree of their own.
  ///
  /// It is made in 1 ms at a million; a search for rare matches among all takes longer for one point.
  private static let treeShare = 64
}

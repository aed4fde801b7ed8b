import GeoQuery

extension Asked {
  /// Whether the answer depends on the favorites.
  var usesFavorites: Bool { isOfFavorites || marksFavorites || isPageOfOwner }

  /// Whether it is a page that shows the favorites kept by the service.
  private var isPageOfOwner: Bool { route.isPage && isOwner && favorites != nil }

  /// Whether only favorites match.
  var isOfFavorites: Bool { parameters.text(.favorite) != nil }

  private var marksFavorites: Bool { parameters.text(.mark) != nil }

  /// The value of `Cache-Control`: answers that depend on the favorites are for private caches
  /// only.
  var caching: String {
    if usesFavorites { return "private, no-cache" }
    return isNamedByContents ? "public, max-age=31536000, immutable" : route.caching
  }

  /// Identifies the favorites that the answer depends on; empty if it depends on none.
  var favoriteRevision: String {
    favoriteIDs.map { StableHash.text(of: ["favorites"] + $0) } ?? ""
  }

  /// The query of a data route.
  ///
  /// - Parameter maximumRestaurants: The maximum number of restaurants, whatever the request asks for.
  /// - Returns: A query with a valid cursor and order.
  /// - Throws: `Problem` 400.
  func query(atMost maximumRestaurants: Int = .max) throws -> Query {
    try parameters.query(
      of: route,
      favoriteIDs: isOfFavorites ? favoriteIDs ?? [] : nil,
      atMost: maximumRestaurants
    )
  }

  /// The threads for a query with a filter.
  ///
  /// A condition on the records themselves reads all of them: a third of a second for a million.
  /// Each other condition may read a column: 14 ms for a million.
  func place(for filter: Filter) -> AnswerPlan.Place {
    let isLong = filter.conditions.count > 2 && snapshot.count > ServiceLimits.features
    guard isLong || filter.readsRecords, !generation.engine.remembers(filter) else { return .pool }
    return filter.readsRecords ? .planPool : .longPool
  }

  /// The threads for counting all restaurants that match a filter: it is short once the matches are known.
  func place(forCountingBy filter: Filter) -> AnswerPlan.Place {
    let place = place(for: filter)
    guard case .pool = place, snapshot.count > ServiceLimits.features,
      !generation.engine.remembers(filter)
    else { return place }
    return .longPool
  }

  /// A page of results as a collection, with links to the pages before and after it.
  func collection(
    of query: Query,
    _ links: [Link],
    until deadline: Deadline
  ) throws -> AnswerPlan.Body {
    var query = query
    query.deadline = deadline
    let page = try generation.engine.page(query)
    let marked = favoritePositions
    let text = FeatureCollectionText(
      page,
      links: links + pageLinks(page),
      timeStamp: timeStamp,
      isFavorite: marked.contains
    )
    return AnswerPlan.Body(text, hits: page.count)
  }

  /// The positions of the favorites; empty if the answer does not depend on them.
  private var favoritePositions: Set<Int> {
    let places = (favoriteIDs ?? []).lazy.map { snapshot.lowerBound(ofID: $0.utf8) }
    return Set(places.filter(\.isExact).map(\.position))
  }
}

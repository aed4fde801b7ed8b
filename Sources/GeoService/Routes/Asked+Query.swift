import GeoQuery

extension Asked {
  /// Whether the answer depends on the favorites.
  var usesFavorites: Bool { isOfFavorites || marksFavorites || isPageOfOwner }

  /// Whether it is a page that shows the favorites of the service.
  private var isPageOfOwner: Bool { route.isPage && isOwner && favorites != nil }

  /// Whether only favorites count.
  var isOfFavorites: Bool { parameters.text(.favorite) != nil }

  private var marksFavorites: Bool { parameters.text(.mark) != nil }

  /// `Cache-Control`: what depends on the favorites is for nobody else's cache.
  var caching: String {
    if usesFavorites { return "private, no-cache" }
    return isNamedByContents ? "public, max-age=31536000, immutable" : route.caching
  }

  /// What two answers have in common that depend on the same favorites; empty if they depend on none.
  var favoriteRevision: String {
    favoriteIDs.map { StableHash.text(of: ["favorites"] + $0) } ?? ""
  }

  /// The query of a data route.
  ///
  /// - Parameter mostRestaurants: At most so many restaurants, whatever the request asks for.
  /// - Returns: A query whose cursor and order are checked.
  /// - Throws: `Problem` 400.
  func query(atMost mostRestaurants: Int = .max) throws -> Query {
    try parameters.query(
      of: route,
      favoriteIDs: isOfFavorites ? favoriteIDs ?? [] : nil,
      atMost: mostRestaurants
    )
  }

  /// The page of a query as a collection, with links to the pages around it.
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

  /// The positions of the favorites; none if the answer does not depend on them.
  private var favoritePositions: Set<Int> {
    let places = (favoriteIDs ?? []).lazy.map { snapshot.lowerBound(ofID: $0.utf8) }
    return Set(places.filter(\.isExact).map(\.position))
  }
}

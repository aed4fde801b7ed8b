import GeoIndex
import GeoQuery

/// The query in the parameters of a request.
extension Parameters {
  /// The query of a data route.
  ///
  /// - Parameters:
  ///   - route: The route, which determines the kind of region and the default limit.
  ///   - favoriteIDs: The ids of the favorites if only these match; nil for all restaurants.
  ///   - maximumRestaurants: The maximum number of restaurants, whatever the request asks for.
  /// - Returns: A query with a valid cursor and order.
  /// - Throws: `Problem` 400.
  func query(
    of route: Route,
    favoriteIDs: [String]?,
    atMost maximumRestaurants: Int
  ) throws -> Query {
    var query = Query(try region(of: route), matching: try filter(), in: order)
    query.filter.favoriteIDs = favoriteIDs
    if let limit = route.parameters.first(where: { $0.name == Parameter.limit.name }) {
      query.limit = min(integer(limit), maximumRestaurants)
    }
    query.offset = try offset()
    query.cursor = text(.cursor)
    do throws(QueryError) {
      try query.check()
      try query.checkCursor()
    } catch {
      throw Problem(error)
    }
    return query
  }

  /// The number of restaurants to skip.
  ///
  /// - Throws: `Problem` 400 if there is a cursor too.
  func offset() throws -> Int {
    guard text(.offset) != nil else { return 0 }
    guard text(.cursor) == nil else {
      throw Problem.invalid("offset", "does not go with cursor; a link has what it needs")
    }
    return integer(.offset)
  }

  private func region(of route: Route) throws -> Query.Region {
    switch route {
    case .nearest:
      guard let point else { throw Problem.invalid("lat", "is missing") }
      return .nearest(
        to: point,
        count: integer(.count),
        within: number(.maximumDistance) ?? .infinity
      )
    case .radius, .countRadius: return try disc()
    case .box, .countBox:
      guard let box = try box() else { throw Problem.invalid("bbox", "is missing") }
      return .box(box)
    default:
      let isDisc = [Parameter.latitude, .longitude, .radius].contains { text($0) != nil }
      guard isDisc else { return try box().map { .box($0) } ?? .everywhere }
      if text(.box) != nil { throw Problem.invalid("bbox", "does not go with lat, lon and radius") }
      return try disc()
    }
  }

  /// The circle of `lat`, `lon` and `radius`.
  private func disc() throws -> Query.Region {
    for parameter in [Parameter.latitude, .longitude, .radius] where text(parameter) == nil {
      throw Problem.invalid(parameter.name, "is missing")
    }
    guard let point, let radius = number(.radius) else {
      throw Problem.invalid("lat", "expected a point")
    }
    return .radius(radius, of: point)
  }

  /// The filter.
  ///
  /// - Throws: `Problem` 400.
  func filter() throws -> Filter {
    var filter = Filter(categories: texts(.category), text: text(.text) ?? "")
    if let city = text(.city) { filter.conditions.append(try Self.condition(city: city)) }
    do throws(QueryError) {
      filter.conditions += try text(.filter).map(Parameter.conditions) ?? []
    } catch {
      throw Problem(error)
    }
    if text(.ids) != nil { filter.ids = texts(.ids) }
    return filter
  }

  /// The condition for the parameter `city`.
  ///
  /// - Throws: `Problem` 400.
  static func condition(city: String) throws -> Condition {
    do throws(QueryError) {
      return try Condition(.city, .equal, city)
    } catch {
      throw Problem(error)
    }
  }

  /// The order of `sortby`; nil for that of the region.
  var order: Order? {
    text(.sortBy).flatMap { Order(sortBy: $0) }
  }
}

import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// The pages of the lunch page: the same queries as those of the routes for programs.
extension Asked {
  /// What the address says.
  private func view(_ screen: PageView.Screen) -> PageView {
    let pairs = (try? RequestTarget(request.target).pairs()) ?? []
    return PageView(screen, pairs)
  }

  private func context(_ view: PageView) throws -> PageContext {
    try PageContext(
      view,
      keeping: usesFavorites ? .service : .device(canSignIn: favorites != nil),
      favoriteIDs: favoriteIDs ?? [],
      acceptLanguage: request.fields[.acceptLanguage],
      places: places,
      snapshot: snapshot,
      links: links
    )
  }

  /// Whether the request names a file by what is in it, so that its bytes never change.
  var isNamedByContents: Bool {
    let asset: PageAsset? =
      switch route {
      case .pageStyle: .style
      case .pageScript: .script
      default: nil
      }
    guard let asset else { return false }
    return request.target.utf8.elementsEqual("\(route.path)?v=\(asset.tag)".utf8)
  }

  /// The orders that some restaurant has a value for.
  private var orders: [Order] { Order.offered.filter { snapshot.hasValues(of: $0.key) } }

  /// `GET /app/`.
  func lunchPage() -> AnswerPlan {
    let isLong = snapshot.count > ServiceLimits.features
    return AnswerPlan(at: isLong ? .longPool : .pool) { deadline in
      let view = view(.lunch)
      var context = try context(view)
      let filter = Filter(categories: view.categories, text: view.text)
      let region = context.place.map {
        Query.Region.radius(Double(ServiceLimits.radius), of: $0.coordinate)
      }
      var query = Query(
        region ?? .everywhere,
        matching: filter,
        in: view.order?.key == .distance ? nil : view.order,
        limit: LunchPage.pageLength,
        from: view.cursor.isEmpty ? nil : view.cursor,
        until: deadline
      )
      let page: Page
      do {
        page = try generation.engine.page(query)
      } catch is QueryError where query.cursor != nil {
        context.faults.append("The list has changed since; this is its beginning.")
        query.cursor = nil
        page = try generation.engine.page(query)
      }
      var others = query
      others.filter.categories = []
      let lunch = LunchPage(
        context: context,
        page: page,
        facets: try generation.engine.facets(by: .category, of: others),
        orders: orders,
        isContinued: query.cursor != nil
      )
      return AnswerPlan.Body(bytes: try lunch.bytes(), hits: page.count)
    }
  }

  /// `GET /app/restaurants/{id}`.
  func restaurantPage() -> AnswerPlan {
    let id = id ?? ""
    return AnswerPlan(at: .pool) { _ in
      guard let restaurant = try snapshot.restaurant(id: id) else {
        throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
      }
      let nearest = try generation.engine.nearest(to: restaurant.coordinate, count: 6)
      let page = RestaurantPage(
        context: try context(view(.restaurant(id))),
        restaurant: restaurant,
        others: Array(nearest.filter { !$0.restaurant.id.hasBytes(of: id) }.prefix(5))
      )
      return AnswerPlan.Body(bytes: page.bytes, hits: 1)
    }
  }

  /// `GET /app/favorites`.
  func favoritesPage() -> AnswerPlan {
    AnswerPlan(at: .pool) { deadline in
      var view = view(.favorites)
      if view.order?.key == .distance { view.order = nil }
      var context = try context(view)
      if usesFavorites, let favorites {
        let all = try favorites.favorites(after: nil, limit: .max).matches
        func list(from cursor: String?) throws(QueryError) -> FavoriteList {
          try FavoriteList.page(
            of: all,
            in: view.order,
            limit: LunchPage.pageLength,
            from: cursor
          )
        }
        let found: FavoriteList
        do {
          found = try list(from: view.cursor.isEmpty ? nil : view.cursor)
        } catch {
          context.faults.append("The list has changed since; this is its beginning.")
          found = try list(from: nil)
        }
        let page = FavoritesPage(
          context: context,
          matches: found.matches,
          total: found.total,
          next: found.next,
          orders: orders
        )
        return AnswerPlan.Body(bytes: page.bytes, hits: found.matches.count)
      }
      // those that the browser keeps, as it says
      let query = Query(
        .everywhere,
        matching: Filter(ids: view.ids),
        in: view.order,
        until: deadline
      )
      let matches = try generation.engine.page(query).matches
      let page = FavoritesPage(
        context: context,
        matches: matches,
        total: matches.count,
        next: nil,
        orders: orders
      )
      return AnswerPlan.Body(bytes: page.bytes, hits: matches.count)
    }
  }

  /// `GET /app/internets`.
  func internetsPage() -> AnswerPlan {
    AnswerPlan(at: .loop) { _ in
      AnswerPlan.Body(bytes: InternetsPage.bytes(try context(view(.internets))))
    }
  }
}

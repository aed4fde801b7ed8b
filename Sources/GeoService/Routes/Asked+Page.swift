import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// The pages of the lunch page, which make the same queries as the routes for programs.
extension Asked {
  /// The view in the address.
  func view(_ screen: PageView.Screen) -> PageView {
    let pairs = (try? RequestTarget(request.target).pairs()) ?? []
    return PageView(screen, pairs)
  }

  /// The values that all parts of a page need.
  func context(_ view: PageView) throws -> PageContext {
    let device = PageContext.Keeping.device(canSignIn: favorites != nil)
    return try PageContext(
      view,
      keeping: !usesFavorites ? device : favoriteIDs == nil ? .unavailable : .service,
      favoriteIDs: favoriteIDs ?? [],
      acceptLanguage: request.fields[.acceptLanguage],
      settings: settings,
      snapshot: snapshot,
      links: links
    )
  }

  /// `GET /app/` and `GET /app/map`.
  func lunchPage(_ screen: PageView.Screen) -> AnswerPlan {
    let view = view(screen)
    let filter = Filter(categories: view.categories, text: view.text)
    return AnswerPlan(at: place(forCountingBy: filter)) { deadline in
      var context = try context(view)
      if screen.isMap, settings.maps.library == nil {
        context.faults.append(
          "This geoq was built without the map; the list has the same restaurants."
        )
      }
      let list = context.list
      var query = Query(
        list.region,
        matching: filter,
        in: context.order?.key == .distance ? nil : context.order,
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
        orders: generation.offeredOrders(),
        list: list,
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
        others: Array(nearest.filter { !$0.restaurant.id.isUTF8Equal(to: id) }.prefix(5)),
        offers: generation.book.offers.isEmpty
          ? [] : try generation.offerPlaces().offers(ofRestaurant: id)
      )
      return AnswerPlan.Body(bytes: page.bytes, hits: 1)
    }
  }

  /// `GET /app/internets`.
  func internetsPage() -> AnswerPlan {
    AnswerPlan(at: .pool) { _ in
      AnswerPlan.Body(bytes: InternetsPage.bytes(try context(view(.internets))))
    }
  }
}

import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// The pages of the lunch page, which make the same queries as the endpoints for programs.
extension Endpoint {
  static let lunch = Endpoint(
    "lunch",
    "/app/",
    title: "Lunch",
    alias: "/app",
    for: .people,
    parameters: [.token],
    announcement: Announcement(title: "The lunch page", order: 5),
    get: .work { $0.lunchPage(.lunch) }
  )

  static let map = page("map", "/app/map") { $0.lunchPage(.map) }
  static let restaurantPage = page("restaurantPage", "/app/restaurants/{id}", [.restaurantID]) {
    $0.restaurantPage()
  }
  static let internets = page("internets", "/app/internets") { context in
    Work(on: .queries) { _ in
      Work.Body(bytes: InternetsPage.bytes(try context.page(context.view(.internets))))
    }
  }
  static let licenses = page("licenses", "/app/licenses") { context in
    Work(on: .queries) { _ in
      Work.Body(bytes: LicensesPage.bytes(try context.page(context.view(.licenses))))
    }
  }

  /// A page that only shows something.
  static func page(
    _ name: String,
    _ path: String,
    _ pathParameters: [PathParameter] = [],
    _ work: @escaping @Sendable (RequestContext) throws -> Work
  ) -> Endpoint {
    Endpoint(name, path, for: .people, path: pathParameters, get: .work(work))
  }
}

extension RequestContext {
  /// The view in the address.
  func view(_ screen: PageView.Screen) -> PageView {
    let pairs = (try? RequestTarget(request.target).pairs()) ?? []
    return PageView(screen, pairs)
  }

  /// The values that all parts of a page need.
  func page(_ view: PageView) throws -> PageContext {
    let device = PageContext.Keeping.device(canSignIn: favorites != nil)
    return try PageContext(
      view,
      keeping: !usesFavorites ? device : favoriteIDs == nil ? .unavailable : .service,
      favoriteIDs: favoriteIDs ?? [],
      acceptLanguage: request.fields[.acceptLanguage],
      settings: settings,
      generation: generation,
      links: links
    )
  }

  /// `GET /app/` and `GET /app/map`.
  fileprivate func lunchPage(_ screen: PageView.Screen) -> Work {
    let view = view(screen)
    let filter = Filter(categories: view.categories, text: view.text)
    return Work(on: executor(forCountingBy: filter)) { deadline in
      var context = try page(view)
      if screen.isMap, settings.maps.library == nil {
        context.faults.append(
          "This geoq was built without the map; the list has the same restaurants."
        )
      }
      let list = context.list
      var query = Query(
        list.region,
        matching: filter,
        in: context.order?.needsCenter == true ? nil : context.order,
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
        choices: generation.pageChoices(),
        list: list,
        isContinued: query.cursor != nil
      )
      return Work.Body(bytes: try lunch.bytes(), hits: page.count)
    }
  }

  /// `GET /app/restaurants/{id}`.
  fileprivate func restaurantPage() -> Work {
    let id = path("id")
    return Work(on: .queries) { _ in
      guard let restaurant = try snapshot.restaurant(id: id) else {
        throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
      }
      let nearest = try generation.engine.nearest(to: restaurant.coordinate, count: 6)
      let page = RestaurantPage(
        context: try page(view(.restaurant(id))),
        restaurant: restaurant,
        others: Array(nearest.filter { !$0.restaurant.id.isUTF8Equal(to: id) }.prefix(5)),
        offers: generation.book.offers.isEmpty
          ? [] : try generation.offerPlaces().offers(ofRestaurant: id)
      )
      return Work.Body(bytes: page.bytes, hits: 1)
    }
  }
}

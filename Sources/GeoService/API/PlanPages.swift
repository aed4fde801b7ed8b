import GeoIndex
import GeoQuery
import HTTPTypes

/// The pages of a plan, which ask the same questions as `/cover`, `/meet` and `/offers`.
extension Endpoint {
  static let wantsPage = page("wantsPage", "/app/wants") { $0.wantsPage() }
  static let offersPage = page("offersPage", "/app/offers") { $0.offersPage() }
  static let offerPage = page("offerPage", "/app/offers/{id}", [.offerID]) { try $0.offerPage() }
  static let meetPage = page("meetPage", "/app/meet") { $0.meetPage() }
  static let shortListPage = page("shortListPage", "/app/shortlist") { $0.shortListPage() }
}

extension RequestContext {
  /// The number of single places on the page of wants.
  private static let ranked = 6

  /// `GET /app/wants`.
  fileprivate func wantsPage() -> Work {
    let view = view(.wants)
    return Work(on: view.plan.wants.isEmpty ? .queries : .plans) { deadline in
      let context = try page(view)
      let places = try generation.offerPlaces()
      var page = WantsPage(
        context: context,
        lines: try wantLines(view.plan.wants, places, near: context.place, until: deadline),
        categories: try categories(until: deadline),
        offerCount: generation.book.offers.count
      )
      let known = page.lines.filter { $0.state != .unknown }.map(\.text)
      guard let place = context.place, !known.isEmpty else {
        return Work.Body(bytes: page.bytes)
      }
      var query = CoverQuery(
        near: place.coordinate,
        wants: try Want.list(known),
        places: view.plan.places ?? CoverQuery.defaultPlaces,
        within: view.plan.maximumDistance,
        by: view.plan.cost ?? .farthest,
        until: deadline
      )
      let lookup = places.lookup(until: deadline)
      // the ranking first, because the group uses up the time
      query.ranking = CoverQuery.Ranking(count: Self.ranked)
      page.alone = try Receipt.alone(generation.engine.answer(query, offers: lookup))
      query.ranking = nil
      let answer = try generation.engine.answer(query, offers: lookup)
      page.together = try Receipt.together(answer, context.units)
      page.isCutShort = !answer.isOptimal
      page = page.with(try states(of: answer))
      return Work.Body(bytes: page.bytes, hits: answer.places.count)
    }
  }

  /// The wants of the list, with the number of places that have each if `place` is nil.
  private func wantLines(
    _ wants: [String],
    _ places: OfferPlaces,
    near place: PagePlace?,
    until deadline: Deadline
  ) throws -> [WantsPage.Line] {
    let lookup = places.lookup(until: deadline)
    return try wants.map { text in
      do {
        let want = try Want(parsing: text).resolved(by: lookup)
        var line = WantsPage.Line(text: text, title: want.title)
        // with a place, the answer has the counts
        if place == nil { line.places = try generation.engine.count(of: want, until: deadline) }
        return line
      } catch is QueryError {
        return WantsPage.Line(text: text, title: text, state: .unknown)
      }
    }
  }

  /// The outcomes of the known wants in an answer, in their order.
  private func states(of answer: CoverAnswer) throws -> [WantsPage.Outcome] {
    guard case .group(let cover) = answer.result else { return [] }
    return try cover.wants.map { outcome in
      WantsPage.Outcome(
        isMet: outcome.by != nil,
        places: outcome.places,
        nearest: try outcome.nearest.map { nearest in
          let restaurant = try answer.restaurant(at: nearest.index)
          return OfferHit.Nearest(
            id: restaurant.id,
            name: restaurant.name,
            distance: nearest.distance
          )
        }
      )
    }
  }

  private func categories(until deadline: Deadline) throws -> [(name: String, count: Int)] {
    let query = Query(.everywhere, until: deadline)
    let facets = try generation.engine.facets(by: .category, of: query)
    return Array(generation.pageChoices().categories(facets).prefix(Self.maximumCategories))
  }

  /// The maximum number of categories offered as wants.
  private static let maximumCategories = 80

  /// `GET /app/offers`.
  fileprivate func offersPage() -> Work {
    let view = view(.offers)
    return Work(on: longExecutor) { deadline in
      let context = try page(view)
      var query = OfferQuery()
      query.text = view.text
      query.categories = view.categories
      query.center = context.place?.coordinate
      query.offset = max(0, DecimalText.integer(view.cursor) ?? 0)
      query.limit = OfferListPage.pageLength
      query.deadline = deadline
      let page = OfferListPage(
        context: context,
        page: try generation.offerPlaces().page(query),
        offset: query.offset,
        categories: generation.book.categories
      )
      return Work.Body(bytes: page.bytes, hits: page.page.hits.count)
    }
  }

  /// `GET /app/offers/{id}`.
  fileprivate func offerPage() throws -> Work {
    let id = path("id")
    guard let offer = try generation.offers().offer(id: id) else {
      throw Problem(.notFound, "NotFound", "there is no offer \(quoted(id))")
    }
    return Work(on: .queries) { deadline in
      let context = try page(view(.offer(id)))
      let places = try generation.offerPlaces()
      let page = OfferDetailPage(
        context: context,
        offer: offer,
        chains: offer.chains.compactMap(places.book.chainName),
        page: try places.places(
          of: offer,
          near: context.place?.coordinate,
          limit: OfferDetailPage.pageLength,
          until: deadline
        )
      )
      return Work.Body(bytes: try page.bytes(), hits: page.page.count)
    }
  }

  /// `GET /app/meet`.
  fileprivate func meetPage() -> Work {
    Work(on: .plans) { deadline in
      let view = view(.meet)
      var context = try page(view)
      var people: [MeetPage.Person] = []
      if let place = context.place { people.append(MeetPage.Person(text: nil, place: place)) }
      for text in view.plan.others {
        do {
          let place = try PagePlace.find(text, among: settings.places, snapshot)
          people.append(MeetPage.Person(text: text, place: place))
        } catch let fault as PageFault {
          context.faults.append(fault.sentence)
        }
      }
      let meeting: Meeting? =
        people.count < 2
        ? nil
        : try generation.engine.meet(
          people.map(\.place.coordinate),
          by: view.plan.meetCost ?? .sum,
          count: MeetPage.count,
          matching: Filter(categories: view.categories, text: view.text),
          until: deadline
        )
      let page = MeetPage(context: context, people: people, meeting: meeting)
      return Work.Body(bytes: try page.bytes(), hits: meeting?.items.count)
    }
  }

  /// `GET /app/shortlist`.
  fileprivate func shortListPage() -> Work {
    Work(on: .queries) { _ in
      let view = view(.shortList)
      var context = try page(view)
      let found = try view.plan.picks.map { try snapshot.restaurant(id: $0) }
      if found.contains(where: { $0 == nil }) {
        context.faults.append("A restaurant of the short list is not there any more.")
      }
      let page = ShortListPage(
        context: context,
        restaurants: found.compactMap(\.self),
        nextSeed: .random(in: 1...999_999)
      )
      return Work.Body(bytes: page.bytes, hits: page.restaurants.count)
    }
  }
}

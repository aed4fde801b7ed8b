import GeoQuery
import HTTPTypes

extension Asked {
  /// `GET /collections/restaurants/items` (/req/core/fc-op).
  func items() throws -> AnswerPlan {
    if let time = parameters.text(.datetime) { try TimeText.check(time) }
    let most = representation == .html ? ServiceLimits.featuresOfPage : .max
    let query = try query(atMost: most)
    // a page far down in an order that is not the index's needs a part of the others sorted
    let isDeep = query.offset > ServiceLimits.features && query.order != nil
    let place =
      switch place(for: query.filter) {
      case .pool: isDeep ? .longPool : place(forAtMost: min(query.limit ?? .max, snapshot.count))
      case let place: place
      }
    return AnswerPlan(at: place) { deadline in
      try collection(of: query, ownLinks + [collectionLink], until: deadline)
    }
  }

  /// The threads for an answer of at most `count` restaurants.
  func place(forAtMost count: Int) -> AnswerPlan.Place {
    let short = representation == .html ? 10 : ServiceLimits.featuresOfPage
    return count > short ? .longPool : .pool
  }

  private var collectionLink: Link {
    Link(
      relation: "collection",
      address: links.address(Route.collection.path),
      type: "application/json"
    )
  }

  /// `prev` and `next`, if there are such pages.
  func pageLinks(_ page: Page) -> [Link] {
    // all restaurants before the cursor are gone: the next page is the first one
    if page.startsOver { return [pageLink("next", at: nil)] }
    return pageLinks(page.previous, page.next)
  }

  /// `prev` and `next` by their cursors.
  func pageLinks(_ previous: String?, _ next: String?) -> [Link] {
    let previous = previous.map { pageLink("prev", at: $0) }
    let next = next.map { pageLink("next", at: $0) }
    return [previous, next].compactMap(\.self)
  }

  /// The link to this request at a cursor, or to its first page.
  func pageLink(_ relation: String, at cursor: String?) -> Link {
    let replaced = [Parameter.cursor.name, Parameter.offset.name]
    var query = pairs.filter { !replaced.contains($0.name) }
    if let cursor { query.append((name: Parameter.cursor.name, value: cursor)) }
    if route.representations.count > 1 {
      query.append((name: Parameter.format.name, value: representation.formatName))
    }
    return Link(
      relation: relation,
      address: links.address(route.path, query),
      type: representation.plainType,
      title: relation == "prev" ? "Previous page" : "Next page"
    )
  }

  /// `GET /collections/restaurants/items/{id}` (/req/core/f-op).
  func item() throws -> AnswerPlan {
    let id = id ?? ""
    let found = snapshot.lowerBound(ofID: id.utf8)
    guard found.isExact else {
      throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
    }
    return AnswerPlan.light {
      var bytes: [UInt8] = []
      snapshot.appendFeature(at: found.position, to: &bytes)
      let links = itemLinks(id)
      var json = JSONWriter()
      json.raw(",")
      json.links(links)
      json.raw("}\n")
      // adds the links as a foreign member, before the Feature's last brace
      return AnswerPlan.Body(bytes: bytes[..<(bytes.count - 1)] + json.bytes, links: links)
    }
  }

  /// /req/core/f-links: `self`, `alternate` and `collection`.
  private func itemLinks(_ id: String) -> [Link] {
    let path = Route.items.path + "/" + PercentCoding.encoded(id)
    return links.selfLinks(path, as: representation, of: route.representations) + [collectionLink]
  }
}

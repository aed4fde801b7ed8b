import GeoIndex
import GeoQuery
import HTTPTypes

extension Asked {
  /// `GET /collections/restaurants/items` (/req/core/fc-op).
  func items() throws -> AnswerPlan {
    if let time = parameters.text(.datetime) { try TimeText.check(time) }
    let question = try PageQuestion(parameters)
    return AnswerPlan(at: .pool) { deadline in
      let page = try Page(question, of: generation, until: deadline)
      var text = FeatureCollectionText(
        matched: page.matched,
        returned: page.positions.count,
        links: pageLinks(page, question)
      )
      text.add(page.positions, from: data)
      text.end()
      return AnswerPlan.Body(bytes: text.bytes, hits: page.positions.count)
    }
  }

  /// /req/core/fc-links: `self`, `alternate`, and `next` where there is more.
  private func pageLinks(_ page: Page, _ question: PageQuestion) -> [Link] {
    var found = ownLinks
    found.append(
      Link(
        relation: "collection",
        address: links.address(Route.collection.path),
        type: "application/json"
      )
    )
    if let cursor = page.next(question, in: data) { found.append(nextLink(cursor)) }
    return found
  }

  /// The request itself, from a cursor on.
  func nextLink(_ cursor: PageCursor) -> Link {
    let replaced = [Parameter.cursor.name, Parameter.offset.name]
    var next = pairs.filter { !replaced.contains($0.name) }
    next.append((name: Parameter.cursor.name, value: cursor.text))
    if route.representations.count > 1 {
      next.append((name: Parameter.format.name, value: representation.formatName))
    }
    return Link(
      relation: "next",
      address: links.address(route.path, next),
      type: representation.plainType,
      title: "Next page"
    )
  }

  /// `GET /collections/restaurants/items/{id}` (/req/core/f-op).
  func item() throws -> AnswerPlan {
    let id = id ?? ""
    let found = data.lowerBound(ofID: id.utf8)
    guard found.isExact else {
      throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
    }
    return AnswerPlan.light {
      var bytes: [UInt8] = []
      withExtendedLifetime(data) { data.feature(at: found.position).append(to: &bytes) }
      var json = JSONText()
      json.raw(",")
      json.links(itemLinks(id))
      json.raw("}\n")
      // the links go in as a foreign member, before the Feature's last brace
      return bytes.dropLast() + json.bytes
    }
  }

  /// /req/core/f-links: `self`, `alternate` and `collection`.
  private func itemLinks(_ id: String) -> [Link] {
    let path = Route.items.path + "/" + PercentCoding.encoded(id)
    let own = links.selfLinks(path, as: representation, of: route.representations)
    let collection = Link(
      relation: "collection",
      address: links.address(Route.collection.path),
      type: "application/json"
    )
    return own + [collection]
  }
}

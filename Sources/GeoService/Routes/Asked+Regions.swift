import GeoIndex
import GeoQuery

extension Asked {
  private func requiredBox() throws -> BoundingBox {
    guard let box = try parameters.box() else { throw Problem.invalid("bbox", "is missing") }
    return box
  }

  /// The link to the request itself.
  var selfLink: Link {
    Link(relation: "self", address: selfAddress, type: Representation.geojson.plainType)
  }

  /// `GET /radius`.
  func radius() throws -> AnswerPlan {
    let question = try RadiusQuestion(parameters)
    let found = data.tree.count(within: question.radius, of: question.center)
    return AnswerPlan(at: place(forAtMost: min(question.limit, found))) { deadline in
      let page = try RadiusPage(question, of: generation, until: deadline)
      let cursors = (page.previous(question, in: data), page.next(question, in: data))
      let isBeforeAll = page.neighbors.isEmpty && page.hasMore
      let others = isBeforeAll ? [pageLink("next", at: nil)] : pageLinks(cursors.0, cursors.1)
      let text = Self.collection(
        of: page.neighbors,
        matched: page.matched,
        [selfLink] + others,
        from: data
      )
      return AnswerPlan.Body(text, hits: page.neighbors.count)
    }
  }

  /// `GET /bbox`.
  func box() throws -> AnswerPlan {
    let box = try requiredBox()
    let question = try PageQuestion(parameters, limit: .largeLimit)
    let bound = min(question.limit, data.tree.count(in: box))
    return AnswerPlan(at: place(forAtMost: bound)) { deadline in
      let page = try Page(question, of: generation, until: deadline)
      var text = FeatureCollectionText(
        matched: page.matched,
        returned: page.positions.count,
        links: [selfLink] + pageLinks(page, question)
      )
      text.add(page.positions, from: data)
      text.end()
      return AnswerPlan.Body(text, hits: page.positions.count)
    }
  }

  /// `GET /count/radius`.
  func countRadius() throws -> AnswerPlan {
    let (center, radius) = try parameters.disc()
    return counted { data.tree.count(within: radius, of: center, where: $0) }
  }

  /// `GET /count/bbox`.
  func countBox() throws -> AnswerPlan {
    let box = try requiredBox()
    return counted { data.tree.count(in: box, where: $0) }
  }

  private func counted(_ count: @escaping @Sendable (PositionSet?) -> Int) -> AnswerPlan {
    AnswerPlan(at: .pool) { deadline in
      let allowed = try generation.positions(of: parameters.choice, until: deadline)
      return AnswerPlan.Body(bytes: Array("{\"count\":\(count(allowed))}\n".utf8))
    }
  }
}

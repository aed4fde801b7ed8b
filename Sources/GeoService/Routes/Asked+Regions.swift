import GeoIndex
import GeoQuery

extension Asked {
  private func requiredBox() throws -> BoundingBox {
    guard let box = try parameters.box() else { throw Problem.invalid("bbox", "is missing") }
    return box
  }

  /// `self`, and `next` where restaurants follow.
  func regionLinks(next cursor: PageCursor?) -> [Link] {
    let own = Link(
      relation: "self",
      address: selfAddress,
      type: Representation.geojson.plainType
    )
    return [own] + (cursor.map { [nextLink($0)] } ?? [])
  }

  /// `GET /radius`.
  func radius() throws -> AnswerPlan {
    let question = try RadiusQuestion(parameters)
    return AnswerPlan(at: .pool) { deadline in
      let page = try RadiusPage(question, of: generation, until: deadline)
      let last = page.hasMore ? page.neighbors.last : nil
      let cursor = last.map {
        PageCursor(
          after: $0.index,
          value: .number($0.distance),
          of: question.fingerprint,
          in: data
        )
      }
      let text = Self.collection(
        of: page.neighbors,
        matched: page.matched,
        regionLinks(next: cursor),
        from: data
      )
      return AnswerPlan.Body(bytes: text, hits: page.neighbors.count)
    }
  }

  /// `GET /bbox`.
  func box() throws -> AnswerPlan {
    _ = try requiredBox()
    let question = try PageQuestion(parameters, limit: .largeLimit)
    return AnswerPlan(at: .pool) { deadline in
      let page = try Page(question, of: generation, until: deadline)
      var text = FeatureCollectionText(
        matched: page.matched,
        returned: page.positions.count,
        links: regionLinks(next: page.next(question, in: data))
      )
      text.add(page.positions, from: data)
      text.end()
      return AnswerPlan.Body(bytes: text.bytes, hits: page.positions.count)
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

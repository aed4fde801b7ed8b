import GeoIndex
import GeoQuery

/// Which part of all hits `/radius` and `/bbox` answer with.
private struct Part {
  let offset: Int
  let limit: Int

  var end: Int { offset + limit }
}

extension Asked {
  private var part: Part {
    Part(offset: parameters.integer(.offset), limit: parameters.integer(.largeLimit))
  }

  private func disc() throws -> (center: Coordinate, radius: Double) {
    guard let center = parameters.point, let radius = parameters.number(.radius) else {
      throw Problem.invalid("radius", "is missing")
    }
    return (center, radius)
  }

  private func requiredBox() throws -> BoundingBox {
    guard let box = try parameters.box() else { throw Problem.invalid("bbox", "is missing") }
    return box
  }

  /// `self`, and `next` where hits are left out.
  private func partLinks(_ part: Part, of total: Int) -> [Link] {
    let type = Representation.geojson.plainType
    var found = [Link(relation: "self", address: selfAddress, type: type)]
    if part.end < total {
      let rest = pairs.filter { $0.name != Parameter.offset.name }
      let address = links.address(route.path, rest + [(Parameter.offset.name, "\(part.end)")])
      found.append(Link(relation: "next", address: address, type: type, title: "Next page"))
    }
    return found
  }

  /// `GET /radius`.
  func radius() throws -> AnswerPlan {
    let (center, radius) = try disc()
    let part = self.part
    return AnswerPlan(isHeavy: true) { deadline in
      let allowed = try generation.positions(of: parameters.choice, until: deadline)
      let total = data.tree.count(within: radius, of: center, where: allowed)
      try deadline.check()
      // the nearest so many of a large disc, not all of it in order
      let hits =
        part.offset >= total
        ? []
        : data.tree.nearest(
          to: center,
          count: min(part.end, total),
          within: radius,
          where: allowed
        )
      let chosen = hits.dropFirst(part.offset)
      let text = Self.collection(of: chosen, matched: total, partLinks(part, of: total), from: data)
      return AnswerPlan.Body(bytes: text, hits: chosen.count)
    }
  }

  /// `GET /bbox`.
  func box() throws -> AnswerPlan {
    let box = try requiredBox()
    let part = self.part
    return AnswerPlan(isHeavy: true) { deadline in
      let allowed = try generation.positions(of: parameters.choice, until: deadline)
      let found = data.tree.within(box, where: allowed)
      try deadline.check()
      let chosen = found.dropFirst(part.offset).prefix(part.limit)
      var text = FeatureCollectionText(
        matched: found.count,
        returned: chosen.count,
        links: partLinks(part, of: found.count)
      )
      text.add(chosen, from: data)
      text.end()
      return AnswerPlan.Body(bytes: text.bytes, hits: chosen.count)
    }
  }

  /// `GET /count/radius`.
  func countRadius() throws -> AnswerPlan {
    let (center, radius) = try disc()
    return counted { data.tree.count(within: radius, of: center, where: $0) }
  }

  /// `GET /count/bbox`.
  func countBox() throws -> AnswerPlan {
    let box = try requiredBox()
    return counted { data.tree.count(in: box, where: $0) }
  }

  private func counted(_ count: @escaping @Sendable (PositionSet?) -> Int) -> AnswerPlan {
    AnswerPlan(isHeavy: true) { deadline in
      let allowed = try generation.positions(of: parameters.choice, until: deadline)
      return AnswerPlan.Body(bytes: Array("{\"count\":\(count(allowed))}\n".utf8))
    }
  }
}

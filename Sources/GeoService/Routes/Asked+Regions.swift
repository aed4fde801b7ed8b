import GeoQuery

extension Asked {
  /// `GET /radius` and `GET /bbox`.
  func region() throws -> AnswerPlan {
    let query = try query()
    return AnswerPlan(
      at: place(for: query.filter),
      outcome: { deadline in
        var everything = query
        everything.filter = .all
        let total = try generation.engine.count(everything).total
        let whole = AnswerPlan(at: place(forAtMost: min(query.limit ?? .max, total))) {
          try collection(of: query, [selfLink], until: $0)
        }
        if case .longPool = whole.place { return .next(whole) }
        return try whole.make(deadline)
      }
    )
  }

  /// `GET /count/radius` and `GET /count/bbox`.
  func count() throws -> AnswerPlan {
    let query = try query()
    return AnswerPlan(at: place(for: query.filter)) { deadline in
      var query = query
      query.deadline = deadline
      let total = try generation.engine.count(query).total
      return AnswerPlan.Body(bytes: Array("{\"count\":\(total)}\n".utf8))
    }
  }

  /// `GET /facets`.
  func facets() throws -> AnswerPlan {
    guard let field = parameters.text(.by).flatMap({ Condition.Field(name: $0) }) else {
      throw Problem.invalid("by", "is missing")
    }
    let query = try query()
    return AnswerPlan(at: place(forCountingBy: query.filter)) { deadline in
      var query = query
      query.deadline = deadline
      let facets = try generation.engine.facets(by: field, of: query)
      var json = JSONWriter()
      json.raw("{\"by\":\"\(field.rawValue)\",\"count\":\(facets.reduce(0) { $0 + $1.count }),")
      json.raw("\"facets\":[")
      for (index, facet) in facets.enumerated() {
        json.raw(index == 0 ? "\n{\"value\":" : ",\n{\"value\":")
        if let value = facet.value { json.string(value) } else { json.raw("null") }
        json.raw(",\"count\":\(facet.count)}")
      }
      json.raw(facets.isEmpty ? "]}\n" : "\n]}\n")
      return AnswerPlan.Body(bytes: json.bytes, hits: facets.count)
    }
  }
}

import GeoIndex

/// Which page of which restaurants in which order.
struct PageQuestion: Sendable {
  /// Which restaurants count.
  let choice: Choice

  /// Where they have to be; nil for anywhere.
  let box: BoundingBox?

  /// The order; nil for that by id.
  let sort: SortKey?

  /// How many at most.
  var limit: Int

  /// How many are left out at the beginning.
  let offset: Int

  /// After which restaurant the page begins, or before which it ends; nil for the first page.
  let cursor: PageCursor?

  /// Tells cursors of other questions apart.
  let fingerprint: String

  /// Reads the parameters of `items` or `/bbox`.
  ///
  /// - Throws: `Problem` 400.
  init(_ parameters: Parameters, limit: Parameter = .limit) throws {
    choice = parameters.choice
    box = try parameters.box()
    sort = parameters.text(.sortBy).flatMap { text -> SortKey? in
      let isDescending = text.hasPrefix("-")
      return SortKey.Field(rawValue: isDescending ? String(text.dropFirst()) : text)
        .map { SortKey(field: $0, isDescending: isDescending) }
    }
    self.limit = parameters.integer(limit)
    offset = parameters.integer(.offset)
    let order = sort.map { "\($0.field.rawValue) \($0.isDescending)" } ?? ""
    fingerprint = StableHash.text(of: choice.parts + [box?.description ?? "", "|", order])
    cursor = try PageCursor(parameters, of: fingerprint)
  }
}

extension Choice {
  /// The choice as texts, for fingerprints.
  var parts: [String] {
    let categories = categories.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return categories + ["|", city ?? "", "|", text ?? "", "|"]
  }
}

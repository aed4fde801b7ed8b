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
  let limit: Int

  /// How many are left out at the beginning.
  let offset: Int

  /// After which restaurant the page begins; nil for the first page.
  let cursor: PageCursor?

  /// Reads the parameters of `items`.
  ///
  /// - Throws: `Problem` 400.
  init(_ parameters: Parameters) throws {
    choice = parameters.choice
    box = try parameters.box()
    sort = parameters.text(.sortBy).flatMap { text -> SortKey? in
      let isDescending = text.hasPrefix("-")
      return SortKey.Field(rawValue: isDescending ? String(text.dropFirst()) : text)
        .map { SortKey(field: $0, isDescending: isDescending) }
    }
    limit = parameters.integer(.limit)
    offset = parameters.integer(.offset)
    guard let text = parameters.text(.cursor) else {
      cursor = nil
      return
    }
    guard parameters.text(.offset) == nil else {
      throw Problem.invalid("offset", "does not go with cursor; a next link has what it needs")
    }
    cursor = try PageCursor(text, of: Self.fingerprint(choice, box, sort))
  }

  /// Tells cursors of other questions apart.
  var fingerprint: String { Self.fingerprint(choice, box, sort) }

  private static func fingerprint(_ choice: Choice, _ box: BoundingBox?, _ sort: SortKey?) -> String
  {
    let parts =
      choice.categories.sorted() + ["|", choice.city ?? "", "|", choice.text ?? "", "|"]
      + [box?.description ?? "", "|", sort.map { "\($0.field.rawValue) \($0.isDescending)" } ?? ""]
    return StableHash.text(of: parts)
  }
}

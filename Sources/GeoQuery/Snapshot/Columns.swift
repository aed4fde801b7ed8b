import GeoIndex

/// The values for filters, orders and counts, by position.
struct Columns: Sendable {
  /// The texts that many restaurants share.
  let codes: [Condition.Field: CodeColumn]

  /// The texts that few restaurants share.
  let texts: [Condition.Field: TextColumn]

  /// The numbers, except coordinates.
  let numbers: [Condition.Field: NumberColumn]

  /// 1 for restaurants that are closed for good, otherwise 0.
  let closed: MappedSection

  /// The order by name.
  let names: NameOrder

  /// The section names of the columns, and the stored field of each.
  static let codeNames: [(field: Condition.Field, name: String)] = [
    (.category, "categ"), (.city, "city"), (.state, "state"), (.postalCode, "postal"),
    (.countryCode, "ccode"), (.country, "countr"), (.source, "source"), (.chain, "chain"),
  ]
  static let textNames: [(field: Condition.Field, name: String)] = [
    (.name, "name"), (.address, "addr"), (.crossStreet, "cross"), (.phone, "phone"),
    (.website, "web"),
  ]
  static let numberNames: [(field: Condition.Field, name: String)] = [
    (.rating, "rating"), (.ratingScale, "scale"), (.reviewCount, "reviews"),
    (.priceLevel, "price"),
  ]

  /// A snapshot's columns; nil if one of them is missing or has another length.
  init?(of file: SectionFile, count: Int) {
    var codes: [Condition.Field: CodeColumn] = [:]
    var texts: [Condition.Field: TextColumn] = [:]
    var numbers: [Condition.Field: NumberColumn] = [:]
    for (field, name) in Self.codeNames {
      guard let column = CodeColumn(name, of: file, count: count) else { return nil }
      codes[field] = column
    }
    for (field, name) in Self.textNames {
      guard let column = TextColumn(name, of: file, count: count) else { return nil }
      texts[field] = column
    }
    for (field, name) in Self.numberNames {
      guard let column = NumberColumn(name, of: file, count: count) else { return nil }
      numbers[field] = column
    }
    guard let closed = file.section("closed"), closed.bytes.count == count,
      let folded = texts[.name]?.folded, let names = NameOrder(of: file, names: folded)
    else { return nil }
    self.codes = codes
    self.texts = texts
    self.numbers = numbers
    self.closed = closed
    self.names = names
  }

  /// The rating at a position divided by its scale, which is 5 if the feed gives none; NaN without
  /// a rating.
  @inline(__always)
  func ratingShare(_ ratings: NumberColumn, _ scales: NumberColumn, at position: Int) -> Double {
    let scale = scales[position]
    return ratings[position] / (scale.isNaN ? 5 : scale)
  }

  /// The fault of the columns; nil if there is none.
  func fault() -> String? {
    for (field, column) in codes {
      if let fault = column.fault(field.rawValue) { return fault }
    }
    for (field, column) in texts {
      if let fault = column.folded.fault(field.rawValue) { return fault }
    }
    return names.fault()
  }
}

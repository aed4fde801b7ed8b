/// Counts by the values of a field, as text.
package struct FacetText {
  private let field: Condition.Field
  private let facets: [Facet]

  /// - Parameters:
  ///   - facets: The counts, in their order.
  ///   - field: The field.
  package init(_ facets: [Facet], by field: Condition.Field) {
    self.facets = facets
    self.field = field
  }

  /// `geoq.facets/1`: `{"schema":…,"field":…,"count":n,"items":[{"value":…,"count":…}]}`, one item
  /// per line; `count` is the number of restaurants, `value` is null for those that have none.
  package var json: [UInt8] {
    var json = JSONText()
    json.raw("{\"schema\":\"geoq.facets/1\",\"field\":")
    json.string(field.rawValue)
    json.raw(",\"count\":\(facets.reduce(0) { $0 + $1.count }),\"items\":[")
    for (index, facet) in facets.enumerated() {
      json.raw(index == 0 ? "\n" : ",\n")
      json.raw("{\"value\":")
      if let value = facet.value { json.string(value) } else { json.raw("null") }
      json.raw(",\"count\":\(facet.count)}")
    }
    json.raw(facets.isEmpty ? "]}\n" : "\n]}\n")
    return json.bytes
  }

  /// A header line and one value per line, as csv or tsv; nil for another format.
  ///
  /// The cell of restaurants without a value is empty.
  package func delimited(_ format: AnswerFormat) -> [UInt8]? {
    guard format == .csv || format == .tsv else { return nil }
    var writer = DelimitedWriter(format == .csv ? .csv : .tsv, fields: [])
    writer.row([field.rawValue, "count"])
    for facet in facets { writer.row([facet.value ?? "", "\(facet.count)"]) }
    return writer.takeBytes()
  }
}

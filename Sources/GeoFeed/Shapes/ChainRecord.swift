import GeoQuery

/// Reads one record of a list of chains: `id`, `name`, `icon_url`, `featured`.
enum ChainRecord {
  /// Reads a record.
  ///
  /// - Throws: `FeedProblem` if it has no usable id or name.
  static func read(_ value: JSONValue, source: String) throws(FeedProblem) -> Chain {
    var bag = try OfferRecord.members(value)
    let id = try OfferRecord.id(&bag)
    let name = try RecordReading.name(bag.take("name"))
    var chain = Chain(id: id, name: name, source: source)
    chain.iconURL = bag.takeLink("icon_url")
    if case .bool(let flag)? = bag.value("featured") {
      chain.featured = flag
      _ = bag.take("featured")
    }
    chain.extra = bag.rest
    try OfferRecord.check([chain.id, chain.name, chain.iconURL ?? ""], chain.extra)
    return chain
  }
}

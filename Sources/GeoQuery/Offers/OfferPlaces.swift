public import GeoIndex

/// Tells which places of a snapshot have an offer: the one answer for library, tool and service.
///
/// A place has an offer if the offer names it by id; or names its chain; or a pseudo-chain that it belongs
/// to; or its category, as a filter compares categories. An offer names a chain by id or by name, a place
/// names it by the name under its key `chain`; names compare by their words, so that `Wendy's®` of one feed
/// is `Wendys` of another. An offer of nothing known is had nowhere.
///
/// ```swift
/// let places = OfferPlaces(engine, try store.offerBook())
/// let nearest = tree.nearest(to: denver, count: 1, where: try places.positions(of: offer))
/// ```
///
/// Make one for a snapshot and a book, and keep it.
public struct OfferPlaces: Sendable {
  /// The offers and chains.
  public let book: OfferBook

  let engine: QueryEngine
  // the positions of the places of each chain, by its name
  private let places: [NameWords: [Int32]]
  private let pseudoChains: [PseudoChain: PositionSet]

  /// Prepares the answers.
  ///
  /// - Parameters:
  ///   - engine: The snapshot's.
  ///   - book: The offers and chains.
  /// - Complexity: O(n) for n places.
  public init(_ engine: QueryEngine, _ book: OfferBook) {
    self.engine = engine
    self.book = book
    let snapshot = engine.snapshot
    var names: Set<NameWords> = []
    var kinds: Set<PseudoChain> = []
    for name in Set(book.offers.flatMap(\.chains).map { ByteKey($0) })
      .compactMap({ book.chainName(of: $0.text) })
    {
      if let kind = PseudoChain(named: name) {
        kinds.insert(kind)
      } else {
        names.insert(NameWords(name))
      }
    }
    places = snapshot.columns.codes[.chain]?.places(count: snapshot.count, named: names) ?? [:]
    pseudoChains = Dictionary(
      uniqueKeysWithValues: kinds.map { kind in
        let categories = snapshot.columns.codes[.category]
        let set = categories?.positions {
          kind.contains(category: String(decoding: $0, as: UTF8.self))
        }
        return (kind, set ?? PositionSet(capacity: snapshot.count))
      }
    )
  }

  /// The places that have an offer of the book.
  ///
  /// - Parameters:
  ///   - offer: One of `book`.
  ///   - deadline: When to give up.
  /// - Returns: A set over all positions of the snapshot.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(n / 64 + places found), O(n) bit tests if the offer names a category.
  public func positions(of offer: Offer, until deadline: Deadline? = nil) throws -> PositionSet {
    let snapshot = engine.snapshot
    var found = PositionSet(capacity: snapshot.count)
    for id in offer.restaurants {
      let (position, isExact) = snapshot.lowerBound(ofID: id.utf8)
      if isExact { found.insert(position) }
    }
    for name in offer.chains.compactMap(book.chainName) {
      if let kind = PseudoChain(named: name) {
        if let set = pseudoChains[kind] { found.formUnion(set) }
      } else {
        for position in places[NameWords(name)] ?? [] { found.insert(Int(position)) }
      }
    }
    if !offer.restaurantCategories.isEmpty {
      let filter = Filter(categories: offer.restaurantCategories)
      if let set = try engine.positions(matching: filter, until: deadline) { found.formUnion(set) }
    }
    try deadline?.check()
    return found
  }
}

extension CodeColumn {
  /// The positions of the texts that have one of some names, by name.
  fileprivate func places(count: Int, named names: Set<NameWords>) -> [NameWords: [Int32]] {
    guard !names.isEmpty else { return [:] }
    let wanted = texts.whileMapped {
      (0..<texts.count).map { number -> NameWords? in
        let name = NameWords(texts.string(number))
        return names.contains(name) ? name : nil
      }
    }
    var numbers: [NameWords: Int] = [:]
    let lists = wanted.map { name in
      name.map { name in
        numbers[name]
          ?? {
            numbers[name] = numbers.count
            return numbers.count - 1
          }()
      }
    }
    var positions = [[Int32]](repeating: [], count: numbers.count)
    withExtendedLifetime(self) {
      for position in 0..<count {
        guard let code = code(at: position), let list = lists[code] else { continue }
        positions[list].append(Int32(position))
      }
    }
    return numbers.mapValues { positions[$0] }
  }
}

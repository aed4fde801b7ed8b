public import GeoIndex

/// Finds the places of a snapshot that have an offer, for library, tool and service.
///
/// A place has an offer if the offer names it by id; or names its chain; or a pseudo-chain that it
/// belongs to; or its category, as a filter compares categories. An offer names a chain by id or by
/// name, a place names it by the name under its key `chain`; names compare by their words, so that
/// `Wendy's®` of one feed is `Wendys` of another. An offer with only unknown references has no
/// places.
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
  // the chain that each reference of an offer means
  private let references: [UTF8Key: Reference]
  // the positions of the places of each chain
  private let places: [[Int32]]
  private let pseudoChains: [PseudoChain: BitSet]

  private enum Reference {
    /// A chain, by its index in `places`.
    case chain(Int)
    case pseudoChain(PseudoChain)
  }

  /// Prepares the answers.
  ///
  /// - Parameters:
  ///   - engine: The engine of the snapshot to search.
  ///   - book: The offers and chains.
  /// - Complexity: O(n) for n places, plus O(chain references of the offers).
  public init(_ engine: QueryEngine, _ book: OfferBook) {
    self.engine = engine
    self.book = book
    let snapshot = engine.snapshot
    var references: [UTF8Key: Reference] = [:]
    var numbers: [NameWords: Int] = [:]
    var kinds: Set<PseudoChain> = []
    for reference in book.offers.lazy.flatMap(\.chains) {
      let key = UTF8Key(reference)
      guard references[key] == nil, let name = book.chainName(of: reference) else { continue }
      if let kind = PseudoChain(named: name) {
        references[key] = .pseudoChain(kind)
        kinds.insert(kind)
      } else {
        let words = NameWords(name)
        let number = numbers[words, default: numbers.count]
        numbers[words] = number
        references[key] = .chain(number)
      }
    }
    self.references = references
    var places = [[Int32]](repeating: [], count: numbers.count)
    if let chains = snapshot.columns.codes[.chain], !numbers.isEmpty {
      let wanted = chains.texts.whileMapped {
        (0..<chains.texts.count).map { numbers[NameWords(chains.texts.string($0))] }
      }
      withExtendedLifetime(chains) {
        for position in 0..<snapshot.count {
          guard let code = chains.code(at: position), let number = wanted[code] else { continue }
          places[number].append(Int32(position))
        }
      }
    }
    self.places = places
    let categories = snapshot.columns.codes[.category]
    pseudoChains = Dictionary(
      uniqueKeysWithValues: kinds.map { kind in
        let set = categories?.positions {
          kind.contains(category: String(decoding: $0, as: UTF8.self))
        }
        return (kind, set ?? BitSet(capacity: snapshot.count))
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
  public func positions(of offer: Offer, until deadline: Deadline? = nil) throws -> BitSet {
    let snapshot = engine.snapshot
    var found = BitSet(capacity: snapshot.count)
    for id in offer.restaurants {
      let (position, isExact) = snapshot.lowerBound(ofID: id.utf8)
      if isExact { found.insert(position) }
    }
    for chain in offer.chains {
      switch references[UTF8Key(chain)] {
      case .chain(let number): for position in places[number] { found.insert(Int(position)) }
      case .pseudoChain(let kind): if let set = pseudoChains[kind] { found.formUnion(set) }
      case nil: break
      }
    }
    if !offer.restaurantCategories.isEmpty {
      let filter = Filter(categories: offer.restaurantCategories)
      if let set = try engine.positions(matching: filter, until: deadline) { found.formUnion(set) }
    }
    try deadline?.check()
    return found
  }

  /// The number of places of the chain that an offer of the book names by id or name.
  public func count(ofChain reference: String) -> Int {
    switch references[UTF8Key(reference)] {
    case .chain(let number): places[number].count
    case .pseudoChain(let kind): pseudoChains[kind]?.count ?? 0
    case nil: 0
    }
  }

  /// Whether the place at a position belongs to the chain of a reference.
  func has(_ position: Int, _ reference: UTF8Key) -> Bool {
    switch references[reference] {
    case .chain(let number): places[number].contains(Int32(position))
    case .pseudoChain(let kind): pseudoChains[kind]?.contains(position) == true
    case nil: false
    }
  }
}

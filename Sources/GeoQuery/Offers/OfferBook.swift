/// All offers and chains of a store, read in one transaction.
///
/// They are in memory, because there are thousands at most.
public struct OfferBook: Sendable {
  /// Counts the changes of offers and chains; another number means other contents.
  public let revision: Int

  /// The offers, in order of id (UTF-8 bytes).
  public let offers: [Offer]

  /// The chains, in order of id (UTF-8 bytes).
  public let chains: [Chain]

  /// The book of a store without offers and chains.
  public static let empty = OfferBook(revision: 0, offers: [], chains: [])

  private let offerPositions: [ByteKey: Int]
  private let chainPositions: [ByteKey: Int]

  /// Makes a book.
  ///
  /// - Parameters:
  ///   - revision: Counts the changes.
  ///   - offers: In any order; ids unique.
  ///   - chains: In any order; ids unique.
  public init(revision: Int, offers: [Offer], chains: [Chain]) {
    self.revision = revision
    self.offers = offers.sorted { ByteKey($0.id) < ByteKey($1.id) }
    self.chains = chains.sorted { ByteKey($0.id) < ByteKey($1.id) }
    offerPositions = Self.positions(self.offers.map(\.id))
    chainPositions = Self.positions(self.chains.map(\.id))
  }

  private static func positions(_ ids: [String]) -> [ByteKey: Int] {
    Dictionary(ids.enumerated().map { (ByteKey($0.element), $0.offset) }) { first, _ in first }
  }

  /// The categories of the offers with how many offers each has, the most frequent first, ties by UTF-8.
  public var categories: [(name: String, count: Int)] {
    var counts: [ByteKey: Int] = [:]
    for offer in offers {
      for category in Set(offer.categories.map { ByteKey($0) }) {
        counts[category, default: 0] += 1
      }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { (name: $0.key.text, count: $0.value) }
  }

  /// The offer with an id, compared as UTF-8 bytes.
  public func offer(id: String) -> Offer? { offerPositions[ByteKey(id)].map { offers[$0] } }

  /// The chain with an id, compared as UTF-8 bytes.
  public func chain(id: String) -> Chain? { chainPositions[ByteKey(id)].map { chains[$0] } }

  /// The name of the chain that an offer names by id or name; nil for an unknown id.
  ///
  /// A reference of digits only is an id.
  public func chainName(of reference: String) -> String? {
    if let chain = chain(id: reference) { return chain.name }
    let isNumber = reference.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? nil : reference
  }
}

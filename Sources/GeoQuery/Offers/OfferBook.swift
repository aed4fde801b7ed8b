/// All offers and chains of a store at one moment.
///
/// A value in memory: offers are few, thousands at most.
public struct OfferBook: Sendable {
  /// Counts the changes of offers and chains; another number means other offers.
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

  /// The offer of an id, compared as UTF-8 bytes.
  public func offer(id: String) -> Offer? { offerPositions[ByteKey(id)].map { offers[$0] } }

  /// The chain of an id, compared as UTF-8 bytes.
  public func chain(id: String) -> Chain? { chainPositions[ByteKey(id)].map { chains[$0] } }

  /// The name of the chain that an offer names by id or name; nil for an id that no chain has.
  ///
  /// Digits alone are an id.
  public func chainName(of reference: String) -> String? {
    if let chain = chain(id: reference) { return chain.name }
    let isNumber = reference.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? nil : reference
  }
}

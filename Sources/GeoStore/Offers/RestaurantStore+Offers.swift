import GRDB
import GeoFeed
public import GeoQuery

extension RestaurantStore {
  /// Counts the changes of offers and chains, which do not change the generation.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(1): one row.
  public func offersRevision() throws -> Int {
    try read { try $0.offersRevision() }
  }

  /// All offers and chains, read in one transaction.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(offers and chains).
  public func offerBook() throws -> OfferBook {
    try read { try $0.offerBook() }
  }

  /// All offers, in order of id (UTF-8 bytes).
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  public func offers() throws -> [Offer] {
    try read { try $0.offers() }
  }

  /// An offer by its id, compared as UTF-8 bytes.
  ///
  /// - Returns: The offer, or nil if there is none with that id.
  /// - Throws: `StoreError` if the file cannot be read.
  public func offer(id: String) throws -> Offer? {
    try read { try $0.offers(id: id).first }
  }

  /// All chains, in order of id (UTF-8 bytes).
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  public func chains() throws -> [Chain] {
    try read { try $0.chains() }
  }
}

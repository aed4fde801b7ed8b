import GRDB
import GeoFeed
import GeoQuery

/// The tables of offers and chains.
///
/// Offers are few, thousands at most, and no query runs over them: each is read and written whole.
enum OfferTables {
  /// The lists of an offer, each in a table of its own: a row an item, in the order of the feed.
  struct List: Sendable {
    let table: String
    /// The column of the items.
    let column: String
    let path: any WritableKeyPath<Offer, [String]> & Sendable
  }

  static let lists = [
    List(table: "offer_categories", column: "category", path: \.categories),
    List(table: "offer_chains", column: "chain", path: \.chains),
    List(table: "offer_restaurants", column: "restaurant", path: \.restaurants),
    List(
      table: "offer_restaurantCategories",
      column: "category",
      path: \.restaurantCategories
    ),
  ]

  static let creation =
    """
    CREATE TABLE chains (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL CHECK (name <> ''),
      iconURL TEXT,
      featured INTEGER CHECK (featured = 1),
      source TEXT NOT NULL,
      extra TEXT
    );
    CREATE TABLE offers (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL CHECK (name <> ''),
      description TEXT, terms TEXT, url TEXT, largeURL TEXT,
      amount REAL CHECK (amount BETWEEN 0 AND 1e9),
      expiration TEXT,
      source TEXT NOT NULL,
      sourceID TEXT,
      extra TEXT
    );

    """ + lists.map(creation).joined()

  // a chain or restaurant that an offer names may be unknown: it may still come
  private static func creation(of list: List) -> String {
    """
    CREATE TABLE \(list.table) (
      offer TEXT NOT NULL REFERENCES offers (id) ON DELETE CASCADE ON UPDATE CASCADE,
      position INTEGER NOT NULL,
      \(list.column) TEXT NOT NULL,
      PRIMARY KEY (offer, position)
    ) WITHOUT ROWID;

    """
  }
}

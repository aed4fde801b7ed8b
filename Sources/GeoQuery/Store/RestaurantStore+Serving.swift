import GRDB

extension RestaurantStore {
  /// Which contents of which store are being read.
  package struct Edition: Sendable, Hashable {
    /// The id that the store got when it was made.
    package let storeID: String

    /// Counts the imports that changed something.
    package let generation: Int
  }

  /// The edition that a reader would get now.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  /// - Complexity: O(1): one row.
  package func edition() throws -> Edition {
    try readDatabase { try Self.edition($0, path: path) }
  }

  /// Visits each restaurant in order of id, all from one edition.
  ///
  /// - Parameter body: Called for each restaurant; it must not ask the store again.
  /// - Returns: The edition that was read.
  /// - Throws: `StoreError` where the file cannot be read, and what the body throws.
  package func visitAll(_ body: (Restaurant) throws -> Void) throws -> Edition {
    try readDatabase { db in
      try StoreReader(db, path: path).eachRestaurant { restaurant in
        try body(restaurant)
        return true
      }
      return try Self.edition(db, path: path)
    }
  }

  private static func edition(_ db: Database, path: String) throws -> Edition {
    let row = try Row.fetchOne(db, sql: "SELECT storeID, generation FROM geoq_store")
    guard let row, let storeID = String.fromDatabaseValue(row[0]),
      let generation = Int.fromDatabaseValue(row[1])
    else {
      throw StoreError(.corrupt, path: path, "the store has no id; run geoq doctor")
    }
    return Edition(storeID: storeID, generation: generation)
  }
}

import GRDB
package import GeoIndex

extension RestaurantStore {
  /// Which contents of which store are being read.
  package struct Edition: Sendable, Hashable {
    /// The id that the store got when it was made, and the number that this generation got: another
    /// history of one store has the same generations with other numbers.
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

  /// Visits each restaurant in order of id, and gives the index over their positions, all from one
  /// edition.
  ///
  /// The index is the snapshot beside the store, mapped and read through once; where there is none
  /// that can be used, it is built anew.
  ///
  /// - Parameters:
  ///   - notice: Hears why the snapshot is not used.
  ///   - body: Called for each restaurant; it must not ask the store again.
  /// - Returns: The edition that was read, and its index.
  /// - Throws: `StoreError` where the file cannot be read, and what the body throws.
  package func visitAll(
    notice: @escaping (String) -> Void = { _ in },
    _ body: (Restaurant) throws -> Void
  ) throws -> (edition: Edition, tree: KDTree) {
    try readDatabase { db in
      let reader = StoreReader(db, path: path)
      let opening = SnapshotOpening(store: self, notice: notice)
      try opening.verify(reader)
      let index = try opening.index(reader, rebuilds: true)
      try reader.eachRestaurant { restaurant in
        try body(restaurant)
        return true
      }
      return (try Self.edition(db, path: path), index.tree)
    }
  }

  private static func edition(_ db: Database, path: String) throws -> Edition {
    let row = try Row.fetchOne(db, sql: "SELECT storeID, generation, edition FROM geoq_store")
    guard let row, let storeID = String.fromDatabaseValue(row[0]),
      let generation = Int.fromDatabaseValue(row[1]), let number = Int64.fromDatabaseValue(row[2])
    else {
      throw StoreError(.corrupt, path: path, "the store has no id; run geoq doctor")
    }
    return Edition(storeID: "\(storeID)/\(number)", generation: generation)
  }
}

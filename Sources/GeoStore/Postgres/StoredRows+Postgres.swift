import GeoFeed
import GeoIndex
import GeoQuery

extension StoredRows {
  /// Reads what an import needs to know about the rows of a store in PostgreSQL.
  init(_ connection: PostgresConnection, key: SipHash.Key) throws {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    try self.init(key: key, generation: try connection.state().generation) { take in
      try connection.copyOut(
        """
        SELECT r.pk, r.id, r.source, r."sourceID", h.fingerprint, h."recordLow", h."recordHigh",
          r.latitude, r.longitude, \(StoredFacts.columns("::int::bigint") { "r." + PostgresSchema.name($0) })
        FROM restaurants r LEFT JOIN geoq_hashes h ON h.pk = r.pk
        """,
        columns: 10
      ) { row in
        let number = row.integer(0) ?? -1
        guard (0...StoredRows.lastNumber).contains(number) else {
          let path = connection.address.shown
          throw StoreError.damagedRow(of: "restaurants", "pk is \(number)", path: path)
        }
        let hash = { (column: Int) in UInt64(bitPattern: row.integer(column) ?? 0) }
        take(
          StoredRows.Row(
            number: number,
            id: row.bytes(1) ?? none,
            source: row.bytes(2) ?? none,
            sourceID: row.bytes(3),
            fingerprint: hash(4),
            record: RecordKey(low: hash(5), high: hash(6)),
            facts: StoredFacts(
              place: Coordinate(latitude: row.double(7) ?? .nan, longitude: row.double(8) ?? .nan),
              columns: hash(9)
            )
          )
        )
      }
    }
  }
}

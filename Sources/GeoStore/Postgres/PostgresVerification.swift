import GeoFeed
import GeoQuery

/// The checks of `geoq verify` for a store in PostgreSQL.
extension PostgresStore {
  /// Checks rows, hashes, offers and the snapshot of this machine, in one read transaction.
  package func verify(progress: (String) -> Void) throws -> [Finding] {
    try withConnection { connection in
      try connection.transaction(.reading) {
        let checks: [(subject: String, check: (PostgresConnection) throws -> String)] = [
          ("restaurants", checkRows), ("contents", checkContents), ("snapshot", checkSnapshot),
          ("offers", { try $0.checkOffers() }),
        ]
        return checks.map { subject, check in
          progress(subject)
          return Finding(subject) { try address.wrapping { try check(connection) } }
        }
      }
    }
  }

  private static let advice = "import its feeds into another schema"

  /// Each row has its hashes, and no row is of a later generation than the store.
  private func checkRows(_ connection: PostgresConnection) throws -> String {
    let generation = try connection.state().generation
    let counts =
      try connection.rows(
        """
        SELECT count(*), count(DISTINCT r.id), count(h.pk), max(r.generation),
          (SELECT count(*) FROM geoq_hashes)
        FROM restaurants r LEFT JOIN geoq_hashes h ON h.pk = r.pk
        """
      ).first { row in (0...4).map { Int(row.integer($0) ?? 0) } } ?? [0, 0, 0, 0, 0]
    guard counts[1] == counts[0] else {
      throw Verification.Fault("\(counts[0]) rows have \(counts[1]) ids; \(Self.advice)")
    }
    guard counts[2] == counts[0], counts[4] == counts[0] else {
      throw Verification.Fault("\(counts[0]) rows have \(counts[4]) hashes; \(Self.advice)")
    }
    guard counts[3] <= generation else {
      throw Verification.Fault(
        "a row is of generation \(counts[3]), the store of \(generation); \(Self.advice)"
      )
    }
    return "\(counts[0]), each with an id and a point on the globe; generation \(generation)"
  }

  /// An import does not read the rows of unchanged records, so changes by other programs would stay in
  /// them.
  private func checkContents(_ connection: PostgresConnection) throws -> String {
    var sources = SourceNumbers(key: storeID.key)
    var packed: [UInt8] = []
    var (count, changed) = (0, nil as String?)
    try connection.copyOut(
      """
      SELECT h.fingerprint, \(PostgresSchema.columns.map { "r." + $0 }.joined(separator: ", "))
      FROM restaurants r LEFT JOIN geoq_hashes h ON h.pk = r.pk
      """,
      columns: 1 + PostgresSchema.columns.count
    ) { row in
      let source = sources.number(of: row.text(1 + RestaurantField.source.column) ?? "")
      packed.removeAll(keepingCapacity: true)
      try connection.pack(row, from: 1, to: &packed)
      let contents = packed.withUnsafeBytes {
        PackedRecord.fingerprint(of: $0, key: storeID.key)
      }
      let isSame = row.integer(0) == Int64(bitPattern: sources.bound(contents, to: source))
      if !isSame, changed == nil { changed = row.text(1) }
      count += 1
    }
    if let changed {
      throw Verification.Fault(
        "\(shortened(changed)) is not as it was imported: another program has changed it; "
          + Self.advice
      )
    }
    return "\(count), each as it was imported"
  }

  /// The snapshot of this machine must be undamaged, and have the contents of the rows.
  private func checkSnapshot(_ connection: PostgresConnection) throws -> String {
    let state = try connection.state()
    let snapshot: Snapshot
    do throws(SnapshotProblem) {
      snapshot = try snapshots.open(state)
    } catch {
      guard error.isMissing else {
        throw Verification.Fault("\(error.path): \(error.reason); the next query makes it again")
      }
      return "this machine has none of generation \(state.generation); the next query makes it"
    }
    try snapshot.verify()
    let corrections = Corrections(try connection.corrections())
    var packed: [UInt8] = []
    var (count, isSame) = (0, true)
    try connection.copyOut(
      "SELECT \(PostgresSchema.selection) FROM restaurants",
      columns: PostgresSchema.columns.count
    ) { row in
      guard isSame else { return }
      packed.removeAll(keepingCapacity: true)
      try connection.pack(row, to: &packed)
      guard corrections.apply(to: &packed) else { return }
      count += 1
      let position = snapshot.lowerBound(ofID: (row.text(0) ?? "").utf8).position
      isSame =
        position < snapshot.count
        && packed.withUnsafeBytes { snapshot.holds($0, at: position) }
    }
    guard isSame, count == snapshot.count else {
      throw Verification.Fault("it is not what the store holds; remove \(snapshot.path)")
    }
    return "generation \(state.generation), \(count) restaurants, the same as the rows"
  }
}

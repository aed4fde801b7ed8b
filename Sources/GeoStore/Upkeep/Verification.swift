import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// Checks a whole database: every page, row and point, and that table, spatial index and snapshot
/// agree.
///
/// ```swift
/// for finding in Verification.examine(path: "lunch.db") where !finding.isGood {
///   print(finding.subject, finding.detail)
/// }
/// ```
public enum Verification {
  /// Reads everything, in one read transaction.
  ///
  /// Nothing is changed. A missing snapshot is not a fault, because the next query writes it; an
  /// existing one must be correct to the last byte.
  ///
  /// - Returns: One finding per check; a single one if the database cannot be opened.
  /// - Complexity: O(n log n) for n restaurants.
  public static func examine(
    path: String,
    progress: (String) -> Void = { _ in }
  ) -> [Finding] {
    StorePlace.file(path).verify(progress: progress)
  }

  static func examine(
    _ connection: SQLiteConnection,
    _ progress: (String) -> Void
  ) -> [Finding] {
    let db = connection.db
    var points = StoredPoints()
    let checks: [(subject: String, check: () throws -> String)] = [
      ("database", { try checkPages(db) }),
      (
        "restaurants",
        {
          points = try StoredPoints(connection)
          return try checkColumns(db, points)
        }
      ),
      ("spatial index", { try checkSpatialIndex(db, points) }),
      ("contents", { try checkContents(connection) }),
      ("snapshot", { try checkSnapshot(connection) }),
    ]
    let hasOffers = (try? connection.hasOffers()) ?? true
    let all = checks + (hasOffers ? [("offers", { try connection.checkOffers() })] : [])
    return all.map { subject, check in
      progress(subject)
      return Finding(subject) { try StoreError.wrapping(connection.path, check) }
    }
  }

  /// SQLite's own check.
  static func checkIntegrity(_ db: Database) throws {
    let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(5)")
    guard problems != ["ok"] else { return }
    throw Fault("damaged: \(problems.joined(separator: "; ")); \(advice)")
  }

  private static func checkPages(_ db: Database) throws -> String {
    try checkIntegrity(db)
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    return "\(pages) pages, all ok"
  }

  /// `StoredPoints` finds invalid points; the columns for programs without SpatiaLite must agree
  /// with the points.
  private static func checkColumns(_ db: Database, _ points: StoredPoints) throws -> String {
    let rows = try SQLStatement(
      db,
      "SELECT pk, latitude, longitude, length(id), length(name) FROM restaurants ORDER BY pk"
    )
    let changed = Fault("rows changed during the check; check again")
    var position = 0
    while try rows.step() {
      guard position < points.rows.count else { throw changed }
      let (row, point) = (rows.integer(0), points.coordinates[position])
      guard row == points.rows[position], rows.real(1) == point.latitude,
        rows.real(2) == point.longitude
      else { throw Fault("row \(row): its columns and its point differ; \(advice)") }
      guard rows.integer(3) > 0, rows.integer(4) > 0 else {
        throw Fault("row \(row) has no id or no name; \(advice)")
      }
      position += 1
    }
    guard position == points.rows.count else { throw changed }
    return "\(position), each with an id, a name and a point on the globe"
  }

  /// An import does not read unchanged rows again, so changes by other programs would stay.
  private static func checkContents(_ connection: SQLiteConnection) throws -> String {
    let storeID = try connection.storeID()
    var hashes = try RowHashes.fingerprints(connection.db)
    let rows = try SQLStatement(
      connection.db,
      "SELECT \(SQLiteConnection.selection), pk FROM restaurants ORDER BY pk"
    )
    var count = 0
    var packed: [UInt8] = []
    var sources = SourceNumbers(key: storeID.key)
    let sourceColumn = RestaurantField.source.column + 1
    while try rows.step() {
      let row = rows.integer(SQLiteConnection.restaurantColumns.count)
      let source = sources.number(of: String(decoding: rows.bytes(sourceColumn), as: UTF8.self))
      packed.removeAll(keepingCapacity: true)
      try connection.pack(rows.row, to: &packed)
      let contents = packed.withUnsafeBytes {
        PackedRecord.fingerprint(of: $0, key: storeID.key)
      }
      let fingerprint = sources.bound(contents, to: source)
      guard try hashes.hash(at: row) == fingerprint else {
        let id = String(decoding: rows.bytes(1), as: UTF8.self)
        throw Fault(
          "row \(row), \(shortened(id)), is not as it was imported: another program has "
            + "changed it; \(advice)"
        )
      }
      count += 1
    }
    let known = try hashes.count()
    guard known == count else {
      throw Fault("\(count) rows have \(known) hashes: another program has removed some; \(advice)")
    }
    return "\(count), each as it was imported"
  }

  private static func checkSpatialIndex(_ db: Database, _ points: StoredPoints) throws -> String {
    let problem = try String.fetchOne(db, sql: "SELECT rtreecheck('idx_restaurants_geom')")
    guard problem == "ok" else {
      throw Fault("damaged: \(shortened(problem ?? "no answer", to: 400)); \(advice)")
    }
    let entries = try SQLStatement(
      db,
      "SELECT pkid, xmin, xmax, ymin, ymax FROM idx_restaurants_geom"
    )
    var count = 0
    while try entries.step() {
      let row = entries.integer(0)
      let box = (1...4).map { entries.real($0) }
      guard let point = points[row],
        holds(box[0], point.longitude, box[1]), holds(box[2], point.latitude, box[3])
      else { throw Fault("the index entry of row \(row) does not contain its point; \(advice)") }
      count += 1
    }
    guard count == points.rows.count else {
      throw Fault("\(points.rows.count) rows, but \(count) entries; \(advice)")
    }
    return "\(count) entries, each around its point"
  }

  /// Whether an entry reaches from below a number to above it, within SQLite's rounding.
  private static func holds(_ low: Double, _ number: Double, _ high: Double) -> Bool {
    low <= Double(SpatialIndex.below(number)) && Double(SpatialIndex.above(number)) <= high
  }

  /// A snapshot must be correct to the last byte and agree with the rows: its records are made
  /// again and compared.
  private static func checkSnapshot(_ connection: SQLiteConnection) throws -> String {
    try SnapshotCheck.run(connection) { snapshot in
      try snapshot.verify()
      let other = Fault("it is not what the database holds; remove \(snapshot.path)")
      let corrections = Corrections(try connection.corrections())
      let rows = try SQLStatement(
        connection.db,
        "SELECT \(SQLiteConnection.selection) FROM restaurants ORDER BY id"
      )
      var position = 0
      var packed: [UInt8] = []
      while try rows.step() {
        packed.removeAll(keepingCapacity: true)
        try connection.pack(rows.row, to: &packed)
        guard corrections.apply(to: &packed) else { continue }
        guard position < snapshot.count,
          packed.withUnsafeBytes({ snapshot.holds($0, at: position) })
        else { throw other }
        position += 1
      }
      guard position == snapshot.count else { throw other }
      return "the same as the rows"
    }
  }

  private static let advice = "import its feeds into a new file"

  struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }
}

/// Checks whether queries can use the snapshot next to a database.
enum SnapshotCheck {
  /// Opens the snapshot of the database's generation and checks it.
  ///
  /// - Parameters:
  ///   - connection: A read transaction.
  ///   - look: Checks its contents, and describes the result.
  /// - Returns: The result. A missing snapshot is not a fault, because the next query writes it.
  /// - Throws: `Verification.Fault` if it cannot be used; errors of `look`.
  static func run(
    _ connection: SQLiteConnection,
    _ look: (Snapshot) throws -> String
  ) throws -> String {
    let state = try connection.state()
    do {
      let snapshot = try SnapshotFiles(database: connection.path).open(state)
      return "generation \(state.generation), \(snapshot.count) restaurants, \(try look(snapshot))"
    } catch let problem as SnapshotProblem where problem.isMissing {
      return "missing for generation \(state.generation); the next query writes it"
    } catch let problem as SnapshotProblem {
      throw Verification.Fault("\(problem.path): \(problem.reason); the next query makes it again")
    } catch let error as SnapshotError {
      throw Verification.Fault(
        "\(error.path): \(error.reason); remove it, and the next query makes it again"
      )
    }
  }
}

import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// SpatiaLite's R*Tree over the restaurants, updated by each import.
enum SpatialIndex {
  /// The cost of changing one entry, relative to building the tree anew with one more point.
  private static let changeCost = 15

  /// Updates the tree to match the table.
  static func update(
    _ db: Database,
    points: StoredPoints,
    changed: [Int64],
    removed: [Int64]
  ) throws {
    guard (changed.count + removed.count) * changeCost < points.rows.count else {
      try PackedTree(db).write(points)
      return
    }
    let delete = try SQLStatement(db, "DELETE FROM idx_restaurants_geom WHERE pkid = ?")
    for row in removed + changed {
      delete.bind(row, at: 1)
      try delete.run()
    }
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom (pkid, xmin, xmax, ymin, ymax) VALUES (?1, ?2, ?2, ?3, ?3)"
    )
    for row in changed {
      guard let point = points[row] else { continue }
      insert.bind(row, at: 1)
      insert.bind(point.longitude, at: 2)
      insert.bind(point.latitude, at: 3)
      try insert.run()
    }
  }

  // the nearest float that is not above, or below: the same steps as SQLite's, so that the trees
  // have the same bits; close to 0 there are numbers too small for them
  static func below(_ value: Double) -> Float {
    let near = Float(value)
    return Double(near) > value
      ? Float(value * (value < 0 ? 1 + 1 / 8_388_608 : 1 - 1 / 8_388_608)) : near
  }

  static func above(_ value: Double) -> Float {
    let near = Float(value)
    return Double(near) < value
      ? Float(value * (value < 0 ? 1 - 1 / 8_388_608 : 1 + 1 / 8_388_608)) : near
  }

  /// Compares the numbers of rows and entries: SQLite's integrity check misses missing entries.
  ///
  /// - Throws: `StoreError` of kind `corrupt` if the index does not match the table.
  static func check(_ connection: SQLiteConnection) throws {
    let rows = try connection.count()
    let entries = try connection.number("SELECT count(*) FROM idx_restaurants_geom")
    guard rows == entries else {
      throw connection.problem(
        .corrupt,
        "the spatial index does not match the table (\(entries) entries, \(rows) rows); "
          + "nothing was changed; import the feeds into a new file"
      )
    }
  }
}

/// SpatiaLite's triggers on the table, removed while an import writes.
///
/// They check each geometry, write the time of each change, and insert each point into the R*Tree:
/// 17 µs per row. An import has checked its points, writes the time once, and updates the R*Tree
/// itself. All of this is in one transaction, which ends with the same triggers.
struct SpatialTriggers {
  private let sql: [String]

  private static let names = ["ggi", "ggu", "tmi", "tmu", "tmd", "gii", "giu", "gid"]
    .map { "\($0)_restaurants_geom" }

  /// Removes SpatiaLite's triggers; those of other programs stay.
  init(settingAside db: Database) throws {
    var sql: [String] = []
    for name in Self.names {
      let found = try String.fetchOne(
        db,
        sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ?",
        arguments: [name]
      )
      guard let found else { continue }
      sql.append(found)
      try db.execute(sql: "DROP TRIGGER \(name)")
    }
    self.sql = sql
  }

  /// Restores the triggers, and writes the times that they would have written.
  func restore(_ db: Database, after report: ImportReport) throws {
    for (column, count) in [
      ("last_insert", report.inserted), ("last_update", report.updated),
      ("last_delete", report.removed),
    ] where count > 0 {
      try db.execute(
        sql: """
          UPDATE geometry_columns_time SET \(column) = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
          WHERE lower(f_table_name) = 'restaurants' AND lower(f_geometry_column) = 'geom'
          """
      )
    }
    for trigger in sql { try db.execute(sql: trigger) }
  }
}

/// Writes SQLite's R*Tree bottom-up, with nodes that are nearly full.
///
/// The extension stores a tree in three tables: `_node` (a blob per node, the root is 1), `_rowid` (the leaf of each
/// row) and `_parent` (SQLite documentation, The SQLite R*Tree Module, §6). Its own inserts cost 8.6 s for a
/// million points in the best order, and leave a third more nodes: a first import would be 1.4 times as fast as
/// `ogr2ogr` instead of 2.3 (`Benchmarks/store`). This takes 0.9 s.
private struct PackedTree {
  /// A cell of a node, 24 bytes: a row or a node, and the rectangle around it, rounded outward to floats.
  private struct Cell {
    let number: Int64
    var low: SIMD2<Float>
    var high: SIMD2<Float>
  }

  private let db: Database
  private let nodeBytes: Int
  private let capacity: Int

  init(_ db: Database) throws {
    self.db = db
    let sql = "SELECT length(data) FROM idx_restaurants_geom_node WHERE nodeno = 1"
    nodeBytes = try Int.fetchOne(db, sql: sql) ?? 0
    // nodes with some room left handle later changes better
    capacity = min(51, (nodeBytes - 4) / 24) * 9 / 10
    guard capacity > 1 else { throw DatabaseError(message: "the R*Tree has no root") }
  }

  /// Replaces the tree; needs 40 bytes of memory per point, in addition to the points.
  func write(_ points: StoredPoints) throws {
    for table in ["node", "rowid", "parent"] {
      try db.execute(sql: "DELETE FROM idx_restaurants_geom_\(table)")
    }
    var cells = Self.cells(of: points)
    // the root is 1, the leaves come next, then the levels above them
    var (depth, firstNode) = (0, 2 as Int64)
    repeat {
      cells = try writeLevel(of: cells, depth: depth, firstNode: firstNode)
      depth += 1
      firstNode += Int64(cells.count)
    } while cells.count > 1
  }

  /// The cells of all points, in an order in which neighbors are near each other on the map.
  private static func cells(of points: StoredPoints) -> [Cell] {
    let keys = points.coordinates.map(WebMercator.key)
    return zip(keys, 0..<UInt32(keys.count)).sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map { _, position in
        let point = points.coordinates[Int(position)]
        return Cell(
          number: points.rows[Int(position)],
          low: SIMD2(SpatialIndex.below(point.longitude), SpatialIndex.below(point.latitude)),
          high: SIMD2(SpatialIndex.above(point.longitude), SpatialIndex.above(point.latitude))
        )
      }
  }

  /// Writes the nodes that hold some cells, and which node has each.
  ///
  /// - Parameters:
  ///   - cells: The cells, neighbors next to each other.
  ///   - depth: The height of the nodes above the leaves.
  ///   - firstNode: The number of the first node, unless it is the root.
  /// - Returns: The nodes, as cells of the level above.
  /// - Throws: `DatabaseError` if SQLite fails.
  private func writeLevel(of cells: [Cell], depth: Int, firstNode: Int64) throws -> [Cell] {
    let count = max(1, (cells.count + capacity - 1) / capacity)
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom_node (nodeno, data) VALUES (?, ?)"
    )
    var owners: [(cell: Int64, node: Int64)] = []
    owners.reserveCapacity(cells.count)
    let nodes = try (0..<count).map { index in
      let group = cells[cells.count * index / count..<cells.count * (index + 1) / count]
      let node = Self.node(of: group, number: count == 1 ? 1 : firstNode + Int64(index))
      try bytes(of: group, depth: count == 1 ? depth : 0).withUnsafeBytes {
        insert.bind(node.number, at: 1)
        insert.bind(blob: $0, at: 2)
        try insert.run()
      }
      for cell in group { owners.append((cell.number, node.number)) }
      return node
    }
    // in order, so that inserts append to the table
    owners.sort { $0.cell < $1.cell }
    let table = depth == 0 ? "rowid (rowid, nodeno)" : "parent (nodeno, parentnode)"
    let own = try SQLStatement(db, "INSERT INTO idx_restaurants_geom_\(table) VALUES (?, ?)")
    for owner in owners {
      own.bind(owner.cell, at: 1)
      own.bind(owner.node, at: 2)
      try own.run()
    }
    return nodes
  }

  private static func node(of cells: ArraySlice<Cell>, number: Int64) -> Cell {
    let none = Cell(
      number: number,
      low: SIMD2(repeating: .infinity),
      high: SIMD2(repeating: -.infinity)
    )
    return cells.reduce(into: none) { node, cell in
      node.low = pointwiseMin(node.low, cell.low)
      node.high = pointwiseMax(node.high, cell.high)
    }
  }

  /// A node: its depth (0 except for the root), the number of its cells, and these, each its number, west, east, south,
  /// north; all big-endian.
  private func bytes(of cells: ArraySlice<Cell>, depth: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(nodeBytes)
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    append(UInt16(depth))
    append(UInt16(cells.count))
    for cell in cells {
      append(cell.number)
      for axis in 0..<2 {
        append(cell.low[axis].bitPattern)
        append(cell.high[axis].bitPattern)
      }
    }
    return bytes + repeatElement(0, count: nodeBytes - bytes.count)
  }
}

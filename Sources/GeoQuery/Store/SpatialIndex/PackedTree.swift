import GRDB
import GeoIndex

/// An R*Tree built from the bottom: the nodes of SQLite's R*Tree extension, each with its cells full.
///
/// The extension keeps a tree in three tables: `_node` (a blob a node, the root is 1), `_rowid` (the
/// leaf of each row) and `_parent` (SQLite documentation, The SQLite R*Tree Module, §6). A node is 2
/// bytes of depth (0 but for the root), 2 bytes of count, and cells of 24 bytes: row or child, then west,
/// east, south, north as floats, all big-endian. Inserting a million points in any order costs 8 s;
/// this sorts them along a curve and writes the tables from left to right.
struct PackedTree {
  /// The rectangle around a node or a point, in floats that never lie inside it.
  private struct Cell {
    let number: Int64
    var west: Float
    var east: Float
    var south: Float
    var north: Float
  }

  private let db: Database
  private let nodeBytes: Int
  private let capacity: Int

  private static let cellBytes = 24

  /// The tree of a table's spatial index, whatever it holds.
  init(_ db: Database) throws {
    self.db = db
    let sql = "SELECT length(data) FROM idx_restaurants_geom_node WHERE nodeno = 1"
    nodeBytes = try Int.fetchOne(db, sql: sql) ?? 0
    // a tree takes single changes better where its nodes are not quite full
    capacity = min(51, (nodeBytes - 4) / Self.cellBytes) * 9 / 10
    guard capacity > 1 else { throw DatabaseError(message: "the R*Tree has no root") }
  }

  /// Replaces the tree.
  ///
  /// - Parameters:
  ///   - rows: The row numbers, ascending.
  ///   - points: Where they lie.
  /// - Throws: `DatabaseError` where SQLite does not take it.
  func write(rows: [Int64], points: [Coordinate]) throws {
    for table in ["node", "rowid", "parent"] {
      try db.execute(sql: "DELETE FROM idx_restaurants_geom_\(table)")
    }
    var cells = CurveOrder.positions(of: points).map { Self.cell(rows[$0], points[$0]) }
    let levels = levelSizes(of: cells.count)
    // the root is 1; the leaves come next, then the levels above them
    var firstNode: Int64 = 2
    for (depth, size) in levels.enumerated() {
      let isRoot = depth == levels.count - 1
      let groups = Self.groups(of: cells.count, into: size)
      let numbers = groups.indices.map { isRoot ? 1 : firstNode + Int64($0) }
      try writeNodes(cells, groups, numbers, depth: isRoot ? depth : 0)
      if depth == 0 {
        try writeLeaves(cells, groups, numbers)
      } else {
        try writeParents(cells, groups, numbers)
      }
      cells = zip(groups, numbers).map { Self.union(cells[$0], number: $1) }
      firstNode += Int64(size)
    }
  }

  /// How many nodes each level has, from the leaves up.
  private func levelSizes(of count: Int) -> [Int] {
    var sizes = [max(1, (count + capacity - 1) / capacity)]
    while let last = sizes.last, last > 1 { sizes.append((last + capacity - 1) / capacity) }
    return sizes
  }

  /// Cuts 0..<count into so many parts of nearly the same length.
  private static func groups(of count: Int, into parts: Int) -> [Range<Int>] {
    (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  private func writeNodes(
    _ cells: [Cell],
    _ groups: [Range<Int>],
    _ numbers: [Int64],
    depth: Int
  ) throws {
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom_node (nodeno, data) VALUES (?, ?)"
    )
    var bytes = [UInt8](repeating: 0, count: nodeBytes)
    for (group, number) in zip(groups, numbers) {
      try bytes.withUnsafeMutableBytes { node in
        node.storeBytes(of: UInt16(depth).bigEndian, as: UInt16.self)
        node.storeBytes(of: UInt16(group.count).bigEndian, toByteOffset: 2, as: UInt16.self)
        for (place, cell) in cells[group].enumerated() {
          Self.store(cell, in: node, at: 4 + place * Self.cellBytes)
        }
        let end = 4 + group.count * Self.cellBytes
        node[end...].initializeMemory(as: UInt8.self, repeating: 0)
        insert.bind(number, at: 1)
        insert.bind(blob: UnsafeRawBufferPointer(node), at: 2)
        try insert.run()
      }
    }
  }

  private static func store(_ cell: Cell, in node: UnsafeMutableRawBufferPointer, at offset: Int) {
    node.storeBytes(of: cell.number.bigEndian, toByteOffset: offset, as: Int64.self)
    for (index, edge) in [cell.west, cell.east, cell.south, cell.north].enumerated() {
      node.storeBytes(
        of: edge.bitPattern.bigEndian,
        toByteOffset: offset + 8 + index * 4,
        as: UInt32.self
      )
    }
  }

  /// In order of row, so that the table grows at its end.
  private func writeLeaves(_ cells: [Cell], _ groups: [Range<Int>], _ numbers: [Int64]) throws {
    var leaves: [(row: Int64, leaf: Int64)] = []
    leaves.reserveCapacity(cells.count)
    for (group, number) in zip(groups, numbers) {
      for cell in cells[group] { leaves.append((cell.number, number)) }
    }
    leaves.sort { $0.row < $1.row }
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom_rowid (rowid, nodeno) VALUES (?, ?)"
    )
    for (row, leaf) in leaves {
      insert.bind(row, at: 1)
      insert.bind(leaf, at: 2)
      try insert.run()
    }
  }

  private func writeParents(_ cells: [Cell], _ groups: [Range<Int>], _ numbers: [Int64]) throws {
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom_parent (nodeno, parentnode) VALUES (?, ?)"
    )
    for (group, number) in zip(groups, numbers) {
      for cell in cells[group] {
        insert.bind(cell.number, at: 1)
        insert.bind(number, at: 2)
        try insert.run()
      }
    }
  }

  private static func union(_ cells: ArraySlice<Cell>, number: Int64) -> Cell {
    var all = Cell(
      number: number,
      west: .infinity,
      east: -.infinity,
      south: .infinity,
      north: -.infinity
    )
    for cell in cells {
      all.west = min(all.west, cell.west)
      all.east = max(all.east, cell.east)
      all.south = min(all.south, cell.south)
      all.north = max(all.north, cell.north)
    }
    return all
  }

  private static func cell(_ row: Int64, _ point: Coordinate) -> Cell {
    Cell(
      number: row,
      west: below(point.longitude),
      east: above(point.longitude),
      south: below(point.latitude),
      north: above(point.latitude)
    )
  }

  // a float that is not above or below: by the same steps as SQLite's, whose trees have the same bits;
  // beside 0 there are numbers too small for them
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
}

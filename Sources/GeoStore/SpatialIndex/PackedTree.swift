import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// An R*Tree built bottom-up: the nodes of SQLite's R*Tree extension, nearly full.
///
/// The extension stores a tree in three tables: `_node` (a blob per node, the root is 1), `_rowid`
/// (the leaf of each row) and `_parent` (SQLite documentation, The SQLite R*Tree Module, §6). A
/// node is 2 bytes of depth (0 except for the root), 2 bytes of count, and cells of 24 bytes: row
/// or child, then west, east, south, north as floats, all big-endian. Inserting a million points in
/// any order costs 8 s; this sorts them along a curve and writes the tables from left to right.
struct PackedTree {
  /// The rectangle around a node or a point, rounded outward to floats.
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

  /// The tree of the table's spatial index.
  init(_ db: Database) throws {
    self.db = db
    let sql = "SELECT length(data) FROM idx_restaurants_geom_node WHERE nodeno = 1"
    nodeBytes = try Int.fetchOne(db, sql: sql) ?? 0
    // nodes with some room left handle later changes better
    capacity = min(51, (nodeBytes - 4) / Self.cellBytes) * 9 / 10
    guard capacity > 1 else { throw DatabaseError(message: "the R*Tree has no root") }
  }

  /// Replaces the tree.
  ///
  /// Needs 40 bytes of memory per point, in addition to the points.
  ///
  /// - Parameter points: All points.
  /// - Throws: `DatabaseError` if SQLite fails.
  func write(_ points: StoredPoints) throws {
    for table in ["node", "rowid", "parent"] {
      try db.execute(sql: "DELETE FROM idx_restaurants_geom_\(table)")
    }
    var cells = try writeLeaves(of: points)
    // the root is 1, the leaves come next, then the levels above them
    var firstNode = 2 + Int64(cells.count)
    var depth = 1
    while cells.count > 1 {
      let children = cells
      cells = try writeLevel(of: children.count, depth: depth, firstNode: firstNode) {
        children[$0]
      }
      try writeParents(of: children, below: cells)
      firstNode += Int64(cells.count)
      depth += 1
    }
  }

  /// Writes the leaves, and which leaf has each row.
  private func writeLeaves(of points: StoredPoints) throws -> [Cell] {
    let order = CurveOrder.positions(of: points.coordinates)
    let leaves = try writeLevel(of: order.count, depth: 0, firstNode: 2) { place in
      let position = Int(order[place])
      return Self.cell(points.rows[position], points.coordinates[position])
    }
    // in order of row, so that inserts append to the table
    var leafOfPoint = [UInt32](repeating: 0, count: order.count)
    for (group, leaf) in zip(Self.groups(of: order.count, into: leaves.count), leaves) {
      for place in group { leafOfPoint[Int(order[place])] = UInt32(leaf.number) }
    }
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom_rowid (rowid, nodeno) VALUES (?, ?)"
    )
    for (row, leaf) in zip(points.rows, leafOfPoint) {
      insert.bind(row, at: 1)
      insert.bind(Int64(leaf), at: 2)
      try insert.run()
    }
    return leaves
  }

  private func writeParents(of children: [Cell], below parents: [Cell]) throws {
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom_parent (nodeno, parentnode) VALUES (?, ?)"
    )
    for (group, parent) in zip(Self.groups(of: children.count, into: parents.count), parents) {
      for child in children[group] {
        insert.bind(child.number, at: 1)
        insert.bind(parent.number, at: 2)
        try insert.run()
      }
    }
  }

  /// Divides 0..<count into parts of nearly the same length.
  private static func groups(of count: Int, into parts: Int) -> [Range<Int>] {
    (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  /// Writes the nodes of a level.
  ///
  /// - Parameters:
  ///   - count: The number of cells in all nodes together.
  ///   - depth: The height above the leaves.
  ///   - firstNode: The number of the first node, unless it is the root.
  ///   - cell: Returns a cell by its index.
  /// - Returns: The nodes, as cells of the level above.
  /// - Throws: `DatabaseError` if SQLite fails.
  private func writeLevel(
    of count: Int,
    depth: Int,
    firstNode: Int64,
    cell: (Int) -> Cell
  ) throws -> [Cell] {
    let groups = Self.groups(of: count, into: max(1, (count + capacity - 1) / capacity))
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom_node (nodeno, data) VALUES (?, ?)"
    )
    var bytes = [UInt8](repeating: 0, count: nodeBytes)
    return try groups.enumerated().map { index, group in
      let isRoot = groups.count == 1
      let cells = group.map(cell)
      let node = Self.union(cells, number: isRoot ? 1 : firstNode + Int64(index))
      try bytes.withUnsafeMutableBytes { bytes in
        Self.store(cells, depth: isRoot ? depth : 0, in: bytes)
        insert.bind(node.number, at: 1)
        insert.bind(blob: UnsafeRawBufferPointer(bytes), at: 2)
        try insert.run()
      }
      return node
    }
  }

  private static func store(
    _ cells: [Cell],
    depth: Int,
    in node: UnsafeMutableRawBufferPointer
  ) {
    node.storeBytes(of: UInt16(depth).bigEndian, as: UInt16.self)
    node.storeBytes(of: UInt16(cells.count).bigEndian, toByteOffset: 2, as: UInt16.self)
    for (place, cell) in cells.enumerated() {
      store(cell, in: node, at: 4 + place * cellBytes)
    }
    node[(4 + cells.count * cellBytes)...].initializeMemory(as: UInt8.self, repeating: 0)
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

  private static func union(_ cells: [Cell], number: Int64) -> Cell {
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
}

/// The order of points along a space-filling curve, in which neighbors are near each other on the
/// map.
///
/// D. Hilbert, Über die stetige Abbildung einer Linie auf ein Flächenstück, Math. Ann. 38, 1891;
/// the rotation of each quadrant is a table of four states.
enum CurveOrder {
  private static let bits = 31

  private struct Place {
    let key: UInt64
    let position: UInt32
  }

  /// The positions of points along the curve.
  ///
  /// - Complexity: O(n log n), 40 bytes of memory per point.
  static func positions(of points: [Coordinate]) -> [UInt32] {
    let precedes = { @Sendable (left: Place, right: Place) in
      left.key != right.key ? left.key < right.key : left.position < right.position
    }
    let parts = Parallel.mapParts(of: points.indices, threads: Parallel.coreCount) { part in
      part.map { Place(key: key(of: points[$0]), position: UInt32($0)) }.sorted(by: precedes)
    }
    var places = parts.flatMap { $0 }
    // only merges the sorted parts
    places.sort(by: precedes)
    return places.map(\.position)
  }

  /// The position of a point along the curve: 2 bits for each halving of the map.
  static func key(of point: Coordinate) -> UInt64 {
    let scale = Double(1 << bits)
    let x = min(UInt32((point.longitude + 180) / 360 * scale), 1 << 31 - 1)
    let y = min(UInt32((point.latitude + 90) / 180 * scale), 1 << 31 - 1)
    var state = 0
    var key: UInt64 = 0
    for bit in stride(from: bits - 1, through: 0, by: -1) {
      let quadrant = Int((x &>> UInt32(bit)) & 1) &* 2 &+ Int((y &>> UInt32(bit)) & 1)
      key = key &<< 2 | UInt64((ranks &>> UInt64((state &* 4 &+ quadrant) &* 2)) & 3)
      state = Int((turns &>> UInt64((state &* 4 &+ quadrant) &* 2)) & 3)
    }
    return key
  }

  // for each state and each of its quadrants (0,0), (0,1), (1,0), (1,1): the quadrant's rank, and
  // the state inside it; two bits each, the first one lowest
  private static let ranks = table([0, 1, 3, 2, 0, 3, 1, 2, 2, 3, 1, 0, 2, 1, 3, 0])
  private static let turns = table([1, 0, 3, 0, 0, 2, 1, 1, 2, 1, 2, 3, 3, 3, 0, 2])

  private static func table(_ entries: [UInt64]) -> UInt64 {
    entries.reversed().reduce(0) { $0 << 2 | $1 }
  }
}

import GeoIndex

/// Finds the contents of one tile: restaurants, or clusters of those that share a cell.
struct TileSearch {
  /// A tile has 64 by 64 cells, which are six levels further down.
  static let cellLevels = 6

  private let snapshot: Snapshot
  private let address: TileAddress
  private let options: TileOptions

  init(_ snapshot: Snapshot, _ address: TileAddress, _ options: TileOptions) {
    self.snapshot = snapshot
    self.address = address
    self.options = options
  }

  /// The tile with all restaurants, or with those in a set of positions.
  ///
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(log n + m) for m restaurants in the tile, one to three nanoseconds each.
  func tile(_ allowed: BitSet?, until deadline: Deadline?) throws -> VectorTile {
    try snapshot.tiles.whileMapped {
      let all = TileMembers(snapshot.tiles)
      let inTile = all.at(places(in: all))
      guard let allowed else { return try tile(of: inTile, until: deadline) }
      return try ChosenMembers(allowed, in: inTile, until: deadline)
        .withMembers { try tile(of: $0, until: deadline) }
    }
  }

  /// The number of restaurants in the tile.
  var count: Int {
    snapshot.tiles.whileMapped { places(in: TileMembers(snapshot.tiles)).count }
  }

  private func places(in all: TileMembers) -> Range<Int> {
    all.places(of: address.prefix, shift: Self.shift(ofLevel: address.zoom))
  }

  /// The number of bits of a key after those of a level.
  static func shift(ofLevel level: Int) -> UInt64 {
    UInt64(2 * (WebMercator.depth - level))
  }

  /// The tile of its members.
  ///
  /// - Throws: `QueryTimeout`.
  func tile(
    of members: TileMembers,
    until deadline: Deadline?
  ) throws(QueryTimeout) -> VectorTile {
    var writer = TileWriter(snapshot, address, options)
    let places = members.places
    if places.count <= options.limit {
      writer.addRestaurants(UnsafeBufferPointer(rebasing: members.positions[places]))
      return VectorTile(bytes: writer.bytes, count: places.count)
    }
    var tally = CategoryTally(categories: snapshot.columns.codes[.category]?.texts.count ?? 0)
    var zooms = ExpansionZooms(members, zoom: address.zoom, limit: options.limit)
    var single: [UInt32] = []
    try deadline?.check()
    members.visitCells(shift: Self.shift(ofLevel: address.zoom + Self.cellLevels)) { cell in
      if cell.count == 1 { return single.append(members.positions[cell.lowerBound]) }
      let mean = members.mean(of: cell)
      writer.addCluster(
        TileCluster(
          count: cell.count,
          column: mean.column,
          row: mean.row,
          category: tally.dominant(of: UnsafeBufferPointer(rebasing: members.codes[cell])),
          expansionZoom: zooms.zoom(of: cell)
        )
      )
    }
    single.withUnsafeBufferPointer { writer.addRestaurants($0) }
    try deadline?.check()
    return VectorTile(bytes: writer.bytes, count: places.count)
  }

  /// Finds the zoom at which each cluster splits, for cells in their order.
  private struct ExpansionZooms {
    private let members: TileMembers
    private let zoom: Int
    private let limit: Int

    /// The last tile that was looked for at each zoom, with its first member.
    private var found: [(prefix: UInt64, start: Int)?]

    init(_ members: TileMembers, zoom: Int, limit: Int) {
      self.members = members
      self.zoom = zoom
      self.limit = limit
      found = Array(repeating: nil, count: TileAddress.maximumZoom + 1)
    }

    /// The least zoom at which the members of a cell are in several cells, or in a tile that shows
    /// each restaurant.
    mutating func zoom(of cell: Range<Int>) -> Int {
      let (first, last) = (members.keys[cell.lowerBound], members.keys[cell.upperBound - 1])
      // the number of levels of cells that they share
      let unused = UInt64.bitWidth - 2 * WebMercator.depth
      let shared = ((first ^ last).leadingZeroBitCount - unused) / 2
      let split = min(shared + 1 - TileSearch.cellLevels, TileAddress.maximumZoom)
      var zoom = self.zoom + 1
      while zoom < split, isCrowded(zoom, around: cell.lowerBound) { zoom += 1 }
      return min(zoom, TileAddress.maximumZoom)
    }

    /// Whether the tile of a zoom that the first member of a cell is in has more members than it
    /// can show one by one.
    private mutating func isCrowded(_ zoom: Int, around first: Int) -> Bool {
      let shift = TileSearch.shift(ofLevel: zoom)
      let prefix = members.keys[first] >> shift
      // a tile within the cell starts with it
      var start = first
      if zoom < self.zoom + TileSearch.cellLevels {
        if let last = found[zoom], last.prefix == prefix {
          start = last.start
        } else {
          start = members.places(of: prefix, shift: shift).lowerBound
          found[zoom] = (prefix, start)
        }
      }
      let next = start + limit
      return next < members.places.upperBound && members.keys[next] >> shift == prefix
    }
  }
}

/// The restaurants in a tile, in the order of their cells.
///
/// Valid as long as the owner of the buffers.
struct TileMembers {
  /// The cells' keys, ascending unless the file is damaged.
  let keys: UnsafeBufferPointer<UInt64>

  /// The positions.
  let positions: UnsafeBufferPointer<UInt32>

  /// The numbers of the categories.
  let codes: UnsafeBufferPointer<UInt32>

  /// The range of the buffers that is in the tile.
  let places: Range<Int>

  /// The order that the buffers belong to, which has sums; nil for chosen restaurants.
  let order: TileOrder?

  /// The range of the cells whose keys have a prefix.
  ///
  /// - Parameters:
  ///   - prefix: The prefix.
  ///   - shift: The number of bits after it.
  /// - Returns: The range; empty if there is no such cell.
  /// - Complexity: O(log n).
  func places(of prefix: UInt64, shift: UInt64) -> Range<Int> {
    let start = firstPlace(in: places) { keys[$0] >> shift >= prefix }
    return start..<end(of: prefix, shift: shift, from: start)
  }

  /// The end of the cell that begins at an index.
  ///
  /// - Complexity: O(log m) for m restaurants in it.
  func end(of prefix: UInt64, shift: UInt64, from start: Int) -> Int {
    // most cells are small, so look nearby first
    var (low, step) = (start, 1)
    while low + step < places.upperBound, keys[low + step] >> shift <= prefix {
      low += step
      step *= 2
    }
    return firstPlace(in: low..<min(low + step, places.upperBound)) { keys[$0] >> shift > prefix }
  }

  /// The first index for which a test is true, which then is true for all after it; the end if it
  /// never is.
  @inline(__always)
  private func firstPlace(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Visits the cells of a level in order, each with its range.
  func visitCells(shift: UInt64, _ body: (Range<Int>) throws -> Void) rethrows {
    var start = places.lowerBound
    while start < places.upperBound {
      // a damaged file may have any order, which must not cause an endless loop
      let end = max(start + 1, end(of: keys[start] >> shift, shift: shift, from: start))
      try body(start..<end)
      start = end
    }
  }

  /// The mean column and row of a range that is not empty, in cells of the greatest depth.
  func mean(of places: Range<Int>) -> (column: Double, row: Double) {
    var (columns, rows): (UInt64, UInt64) = (0, 0)
    if let order, places.count > 256 {
      let (before, all) = (
        order.sums(before: places.lowerBound), order.sums(before: places.upperBound)
      )
      columns = all.columns &- before.columns
      rows = all.rows &- before.rows
    } else {
      for place in places {
        columns &+= WebMercator.column(of: keys[place])
        rows &+= WebMercator.row(of: keys[place])
      }
    }
    let count = Double(places.count)
    return (Double(columns) / count + 0.5, Double(rows) / count + 0.5)
  }
}

extension TileMembers {
  /// All restaurants; valid as long as the order is mapped.
  init(_ order: TileOrder) {
    self.init(
      keys: order.keys,
      positions: order.positions,
      codes: order.codes,
      places: 0..<order.count,
      order: order
    )
  }

  /// The members in a part of the range.
  func at(_ places: Range<Int>) -> TileMembers {
    TileMembers(keys: keys, positions: positions, codes: codes, places: places, order: order)
  }
}

/// Some of the restaurants of a snapshot, in the order of their cells.
struct ChosenMembers {
  private var keys: [UInt64] = []
  private var positions: [UInt32] = []
  private var codes: [UInt32] = []

  /// Chooses the restaurants in a set.
  ///
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(m) for m members.
  init(
    _ allowed: BitSet,
    in members: TileMembers,
    until deadline: Deadline?
  ) throws(QueryTimeout) {
    for place in members.places {
      if place & 0xFFFF == 0 { try deadline?.check() }
      let position = members.positions[place]
      // a damaged file may contain any number
      guard Int(position) < allowed.capacity, allowed.contains(Int(position)) else { continue }
      keys.append(members.keys[place])
      positions.append(position)
      codes.append(members.codes[place])
    }
  }

  /// Runs a body with the members.
  func withMembers<Result>(_ body: (TileMembers) throws -> Result) rethrows -> Result {
    try keys.withUnsafeBufferPointer { keys in
      try positions.withUnsafeBufferPointer { positions in
        try codes.withUnsafeBufferPointer { codes in
          try body(
            TileMembers(
              keys: keys,
              positions: positions,
              codes: codes,
              places: keys.indices,
              order: nil
            )
          )
        }
      }
    }
  }
}

extension QueryEngine {
  /// Runs a body with the restaurants that match a filter, in the order of their cells.
  ///
  /// - Throws: `QueryTimeout`, and errors of the body.
  func withMembers<Result>(
    matching filter: Filter,
    until deadline: Deadline?,
    _ body: (TileMembers) throws -> Result
  ) throws -> Result {
    try withMembers(positions(matching: filter, until: deadline), until: deadline, body)
  }

  /// Runs a body with all restaurants, or with those in a set of positions.
  func withMembers<Result>(
    _ allowed: BitSet?,
    until deadline: Deadline? = nil,
    _ body: (TileMembers) throws -> Result
  ) throws -> Result {
    try snapshot.tiles.whileMapped {
      let all = TileMembers(snapshot.tiles)
      guard let allowed else { return try body(all) }
      return try ChosenMembers(allowed, in: all, until: deadline).withMembers(body)
    }
  }
}

/// Counts the categories of cells.
struct CategoryTally {
  /// A count for each category, and at the end one for restaurants without; all zero between cells.
  private var counts: [UInt32]

  /// - Parameter categories: The number of categories.
  init(categories: Int) {
    counts = [UInt32](repeating: 0, count: categories + 1)
  }

  /// The most frequent category of some restaurants, with its count; nil if none has a category.
  ///
  /// If several are equally frequent, it is the one with the least number.
  mutating func dominant(
    of codes: UnsafeBufferPointer<UInt32>
  ) -> (code: Int, count: Int)? {
    counts.withUnsafeMutableBufferPointer { counts in
      let none = UInt32(counts.count - 1)
      for code in codes { counts[Int(min(code, none))] += 1 }
      counts[Int(none)] = 0
      var best = (code: none, count: 0 as UInt32)
      func look(_ code: UInt32) {
        let count = counts[Int(code)]
        counts[Int(code)] = 0
        if count > best.count || (count == best.count && count > 0 && code < best.code) {
          best = (code, count)
        }
      }
      if codes.count < counts.count {
        for code in codes { look(min(code, none)) }
      } else {
        for code in 0..<none { look(code) }
      }
      return best.count > 0 ? (Int(best.code), Int(best.count)) : nil
    }
  }
}

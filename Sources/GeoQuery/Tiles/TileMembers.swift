import GeoIndex

/// The restaurants in a tile, in the order of their cells.
///
/// Valid as long as the owner of the buffers: the mapped file, or copies of chosen members. Zoom 0 of a million
/// takes 6 ms without a copy, and 12 with one (`ONLY=tiles Benchmarks/tiles`).
struct TileMembers {
  /// The cells' keys, ascending unless the file is damaged.
  let keys: UnsafeBufferPointer<UInt64>

  let positions: UnsafeBufferPointer<UInt32>

  /// The numbers of the categories.
  let codes: UnsafeBufferPointer<UInt32>

  /// The range of the buffers that is in the tile.
  let places: Range<Int>

  /// The order that the buffers belong to, which has sums; nil for chosen restaurants.
  let order: TileOrder?

  /// A tile has 64 by 64 cells, which are six levels further down.
  static let cellLevels = 6

  /// The number of bits of a key after those of a level.
  static func shift(ofLevel level: Int) -> UInt64 { UInt64(2 * (WebMercator.depth - level)) }

  /// The members in a tile.
  ///
  /// - Complexity: O(log n).
  func inside(_ tile: TileAddress) -> TileMembers {
    let (prefix, shift) = (tile.prefix, Self.shift(ofLevel: tile.zoom))
    let start = places.partitionPoint { keys[$0] >> shift >= prefix }
    return at(start..<end(of: prefix, shift: shift, from: start))
  }

  /// The tile of a zoom that the first member is in; nil if the file is damaged.
  func address(zoom: Int) -> TileAddress? {
    let prefix = keys[places.lowerBound] >> Self.shift(ofLevel: zoom)
    return TileAddress(
      zoom: zoom,
      x: Int(WebMercator.column(of: prefix)),
      y: Int(WebMercator.row(of: prefix))
    )
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
    return (low..<min(low + step, places.upperBound))
      .partitionPoint { keys[$0] >> shift > prefix }
  }

  /// Visits the cells of a level in order, each with its range.
  func visitCells(ofLevel level: Int, _ body: (Range<Int>) throws -> Void) rethrows {
    let shift = Self.shift(ofLevel: level)
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
      let (start, end) = (places.lowerBound, places.upperBound)
      let (before, all) = (order.sums(before: start), order.sums(before: end))
      (columns, rows) = (all.columns &- before.columns, all.rows &- before.rows)
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
      keys: order.keys.all,
      positions: order.positions.all,
      codes: order.codes.all,
      places: 0..<order.count,
      order: order
    )
  }

  /// The members in a part of the range.
  func at(_ places: Range<Int>) -> TileMembers {
    TileMembers(keys: keys, positions: positions, codes: codes, places: places, order: order)
  }
}

extension QueryEngine {
  /// Runs a body with the restaurants of the world or of a tile, or with some, in the order of
  /// their cells.
  ///
  /// - Throws: `QueryTimeout`, and errors of the body.
  /// - Complexity: in addition to the body's, O(m) for m members if there is a set.
  func withMembers<Result>(
    _ allowed: BitSet?,
    in tile: TileAddress? = nil,
    until deadline: Deadline? = nil,
    _ body: (TileMembers) throws -> Result
  ) throws -> Result {
    try snapshot.tiles.whileMapped {
      let all = TileMembers(snapshot.tiles)
      let members = tile.map(all.inside) ?? all
      guard let allowed else { return try body(members) }
      var keys: [UInt64] = []
      var positions: [UInt32] = []
      var codes: [UInt32] = []
      for place in members.places {
        if place & 0xFFFF == 0 { try deadline?.check() }
        let position = members.positions[place]
        // a damaged file may contain any number
        guard Int(position) < allowed.capacity, allowed.contains(Int(position)) else { continue }
        keys.append(members.keys[place])
        positions.append(position)
        codes.append(members.codes[place])
      }
      return try keys.withUnsafeBufferPointer { keys in
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
}

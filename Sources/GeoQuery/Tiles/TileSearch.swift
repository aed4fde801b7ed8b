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
  func tile(_ allowed: PositionSet?, until deadline: Deadline?) throws(QueryTimeout) -> VectorTile {
    let result: Result<VectorTile, QueryTimeout> = snapshot.tiles.whileMapped {
      let all = TileMembers(snapshot.tiles)
      let inTile = all.at(places(in: all))
      return Result { () throws(QueryTimeout) in
        guard let allowed else { return try tile(of: inTile, until: deadline) }
        return try ChosenMembers(allowed, in: inTile, until: deadline)
          .withMembers { (members) throws(QueryTimeout) in try tile(of: members, until: deadline) }
      }
    }
    return try result.get()
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
      found = Array(repeating: nil, count: TileAddress.greatestZoom + 1)
    }

    /// The least zoom at which the members of a cell are in several cells, or in a tile that shows
    /// each restaurant.
    mutating func zoom(of cell: Range<Int>) -> Int {
      let (first, last) = (members.keys[cell.lowerBound], members.keys[cell.upperBound - 1])
      // the number of levels of cells that they share
      let unused = UInt64.bitWidth - 2 * WebMercator.depth
      let shared = ((first ^ last).leadingZeroBitCount - unused) / 2
      let split = min(shared + 1 - TileSearch.cellLevels, TileAddress.greatestZoom)
      var zoom = self.zoom + 1
      while zoom < split, isCrowded(zoom, around: cell.lowerBound) { zoom += 1 }
      return min(zoom, TileAddress.greatestZoom)
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

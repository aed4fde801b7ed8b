import GeoIndex

/// Finds what one tile shows: restaurants, or clusters of those that share a cell.
struct TileSearch {
  /// A tile is 64 by 64 cells: they are six levels further down.
  static let cellLevels = 6

  private let snapshot: Snapshot
  private let address: TileAddress
  private let options: TileOptions

  init(_ snapshot: Snapshot, _ address: TileAddress, _ options: TileOptions) {
    self.snapshot = snapshot
    self.address = address
    self.options = options
  }

  /// The tile of all restaurants, or of those at some positions.
  ///
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(log n + m) for m restaurants in the tile, a nanosecond or three for each.
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

  /// How many restaurants there are in the tile.
  var count: Int {
    snapshot.tiles.whileMapped { places(in: TileMembers(snapshot.tiles)).count }
  }

  private func places(in all: TileMembers) -> Range<Int> {
    all.places(of: address.prefix, shift: Self.shift(ofLevel: address.zoom))
  }

  /// How many bits of a key come after those of a level.
  static func shift(ofLevel level: Int) -> UInt64 {
    UInt64(2 * (WebMercator.depth - level))
  }

  /// The tile of what is in it, and nothing else.
  ///
  /// - Throws: `QueryTimeout`.
  func tile(
    of members: TileMembers,
    until deadline: Deadline?
  ) throws(QueryTimeout) -> VectorTile {
    var writer = TileWriter(snapshot, address, options)
    let places = members.places
    if places.count <= options.limit {
      for place in places { writer.addRestaurant(members.positions[place]) }
      return VectorTile(bytes: writer.bytes, count: places.count)
    }
    var tally = CategoryTally(categories: snapshot.columns.codes[.category]?.texts.count ?? 0)
    var zooms = ExpansionZooms(members, zoom: address.zoom, limit: options.limit)
    try deadline?.check()
    members.visitCells(shift: Self.shift(ofLevel: address.zoom + Self.cellLevels)) { cell in
      if cell.count == 1 { return writer.addRestaurant(members.positions[cell.lowerBound]) }
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
    try deadline?.check()
    return VectorTile(bytes: writer.bytes, count: places.count)
  }

  /// Finds the zooms at which clusters come apart, for cells in their order.
  private struct ExpansionZooms {
    private let members: TileMembers
    private let zoom: Int
    private let limit: Int

    /// The last tile that was counted at each zoom.
    private var counted: [(prefix: UInt64, count: Int)?]

    init(_ members: TileMembers, zoom: Int, limit: Int) {
      self.members = members
      self.zoom = zoom
      self.limit = limit
      counted = Array(repeating: nil, count: TileAddress.greatestZoom + 1)
    }

    /// The least zoom at which the members of a cell are in several cells, or in a tile with so few
    /// restaurants that each is shown.
    mutating func zoom(of cell: Range<Int>) -> Int {
      let (first, last) = (members.keys[cell.lowerBound], members.keys[cell.upperBound - 1])
      // how many levels of cells they share
      let unused = UInt64.bitWidth - 2 * WebMercator.depth
      let shared = ((first ^ last).leadingZeroBitCount - unused) / 2
      let split = min(shared + 1 - TileSearch.cellLevels, TileAddress.greatestZoom)
      var zoom = self.zoom + 1
      while zoom < split {
        let shift = TileSearch.shift(ofLevel: zoom)
        if count(of: first >> shift, shift: shift, zoom) <= limit { return zoom }
        zoom += 1
      }
      return min(zoom, TileAddress.greatestZoom)
    }

    private mutating func count(of prefix: UInt64, shift: UInt64, _ zoom: Int) -> Int {
      if let last = counted[zoom], last.prefix == prefix { return last.count }
      let count = members.places(of: prefix, shift: shift).count
      counted[zoom] = (prefix, count)
      return count
    }
  }
}

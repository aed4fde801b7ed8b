import GeoIndex

/// Writes one tile: restaurants, or clusters of those that share a cell.
struct TileWriter {
  private let snapshot: Snapshot
  private let address: TileAddress
  private let limit: Int

  private var restaurants = VectorTileLayer(.restaurants)
  private var clusters = VectorTileLayer(.clusters)

  init(_ snapshot: Snapshot, _ address: TileAddress, limit: Int) {
    self.snapshot = snapshot
    self.address = address
    self.limit = limit
  }

  /// The tile of its members.
  ///
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(m) for m members, one to three nanoseconds each.
  mutating func tile(
    of members: TileMembers,
    until deadline: Deadline?
  ) throws(QueryTimeout) -> VectorTile {
    let places = members.places
    if places.count <= limit {
      addRestaurants(members.positions[places])
    } else {
      var tally = CategoryTally(snapshot.categories)
      var single: [UInt32] = []
      try deadline?.check()
      members.visitCells(ofLevel: address.zoom + TileMembers.cellLevels) { cell in
        if cell.count == 1 { return single.append(members.positions[cell.lowerBound]) }
        addCluster(cell, of: members, tally.dominant(of: members.codes[cell]))
      }
      addRestaurants(single)
      try deadline?.check()
    }
    let bytes = VectorTileLayer.bytes(of: [restaurants, clusters])
    return VectorTile(bytes: bytes, count: places.count)
  }

  /// Adds restaurants by their positions in the snapshot.
  ///
  /// They lie far apart in the file. Some are looked up together, and a byte of each record is read
  /// before any is written, so that the waits for memory overlap: p99 of tiles of a million restaurants
  /// falls from 5.2 to 3.9 ms of processor time (`ONLY=tiles Benchmarks/tiles`, RESULTS-tiles.md).
  private mutating func addRestaurants(_ positions: some Collection<UInt32>) {
    let (ids, features, tree) = (snapshot.ids, snapshot.records.features, snapshot.tree)
    var rest = positions[...]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.batchLength)
      rest = rest.dropFirst(Self.batchLength)
      ids.whileMapped {
        features.whileMapped {
          let found = batch.map { position in
            // a damaged file may contain any number
            let position = min(Int(position), tree.count - 1)
            return (id: ids[position], feature: features[position], coordinate: tree[position])
          }
          let areWhole = found.map { $0.feature.first == UInt8(ascii: "{") }
          for (restaurant, isWhole) in zip(found, areWhole) {
            restaurants.add(0, .text(restaurant.id))
            if isWhole { addTexts(of: restaurant.feature) }
            let place = WebMercator.place(of: restaurant.coordinate)
            restaurants.addPoint(
              x: unit(place.x, from: address.x),
              y: unit(place.y, from: address.y)
            )
          }
        }
      }
    }
  }

  private static let batchLength = 64

  /// Adds the properties of a Feature that the layer has, which are texts, in the order of records.
  private mutating func addTexts(of feature: UnsafeRawBufferPointer) {
    let walk = StoredJSON(feature)
    guard let start = walk.value(of: Self.properties, after: 1) else { return }
    var place = start + 1
    for (index, name) in Self.texts.enumerated() {
      guard let value = walk.value(of: name, after: place), let end = walk.end(ofValueAt: value),
        case .string? = walk.kind(at: value)
      else { continue }
      walk.withText(at: value) { restaurants.add(index + 1, .text($0)) }
      place = end
    }
  }

  private static let texts = TileLayer.restaurants.fields.dropFirst().map { Array($0.name.utf8) }
  private static let properties = Array("properties".utf8)

  /// Adds the restaurants of a cell as one feature, with the dominant entry of their categories.
  private mutating func addCluster(
    _ cell: Range<Int>,
    of members: TileMembers,
    _ category: (entry: Int, count: Int)?
  ) {
    let mean = members.mean(of: cell)
    // the keys are those of `TileLayer.clusters`
    clusters.add(0, .count(cell.count))
    clusters.add(1, Self.abbreviated(cell.count))
    if let category {
      clusters.add(2, snapshot.categories.names[category.entry])
      clusters.add(3, .number(Double(category.count) / Double(cell.count)))
    }
    clusters.add(4, .count(expansionZoom(of: cell, in: members)))
    let side = Double(1 << WebMercator.depth)
    clusters.addPoint(
      x: unit(mean.column / side, from: address.x),
      y: unit(mean.row / side, from: address.y)
    )
  }

  /// The least zoom at which the members of a cell are in several cells, or in a tile that shows each
  /// restaurant; the greatest zoom if there is none.
  private func expansionZoom(of cell: Range<Int>, in members: TileMembers) -> Int {
    let (keys, place) = (members.keys, cell.lowerBound)
    let (first, last) = (keys[place], keys[cell.upperBound - 1])
    // the number of levels of cells that they share
    let unused = UInt64.bitWidth - 2 * WebMercator.depth
    let shared = ((first ^ last).leadingZeroBitCount - unused) / 2
    let split = min(shared + 1 - TileMembers.cellLevels, TileAddress.maximumZoom)
    let low = max(members.places.lowerBound, place - limit)
    var zoom = address.zoom + 1
    while zoom < split {
      let shift = TileMembers.shift(ofLevel: zoom)
      let prefix = first >> shift
      // the first of the tile's members that is at most the limit away
      let start =
        keys[low] >> shift == prefix
        ? low : (low..<place).partitionPoint { keys[$0] >> shift >= prefix }
      let next = start + limit
      guard next < members.places.upperBound, keys[next] >> shift == prefix else { break }
      zoom += 1
    }
    return min(zoom, TileAddress.maximumZoom)
  }

  /// A coordinate as units from the tile's edge, rounded and clamped to the tile.
  private func unit(_ place: Double, from tile: Int) -> Int {
    let extent = VectorTileLayer.extent
    let units = place * Double(extent << address.zoom) - Double(extent * tile)
    return Int(min(max(units.rounded(), 0), Double(extent)))
  }

  /// A count in at most four characters: 999, 1.2k, 12k, 1.2M.
  static func abbreviated(_ count: Int) -> String {
    if count < 1_000 { return "\(count)" }
    let (unit, letter) = count < 999_500 ? (1_000, "k") : (1_000_000, "M")
    let tenths = (count * 10 + unit / 2) / unit
    if tenths >= 100 { return "\((count + unit / 2) / unit)\(letter)" }
    return tenths % 10 == 0 ? "\(tenths / 10)\(letter)" : "\(tenths / 10).\(tenths % 10)\(letter)"
  }
}

/// Counts the entries of the categories of cells.
private struct CategoryTally {
  private let table: CategoryTable

  /// A count for each category, and at the end one for restaurants without; all zero between cells.
  private var counts: [Int]

  /// A count for each entry; all zero between cells.
  private var sums: [Int]

  /// The categories of the cell, and the entries of these; empty between cells.
  private var (seen, found): ([Int], [Int]) = ([], [])

  init(_ table: CategoryTable) {
    self.table = table
    counts = [Int](repeating: 0, count: table.count + 1)
    sums = [Int](repeating: 0, count: table.names.count)
  }

  /// The most frequent entry of some restaurants, with its count; nil if none has a category.
  ///
  /// If several are equally frequent, it is the one with the least number.
  mutating func dominant(of codes: some Sequence<UInt32>) -> (entry: Int, count: Int)? {
    let none = counts.count - 1
    for code in codes {
      let code = min(Int(code), none)
      if counts[code] == 0 { seen.append(code) }
      counts[code] += 1
    }
    for code in seen {
      if code < none {
        for entry in table[code].lazy.map({ Int($0) }) {
          if sums[entry] == 0 { found.append(entry) }
          sums[entry] += counts[code]
        }
      }
      counts[code] = 0
    }
    var best: (entry: Int, count: Int)?
    for entry in found {
      let count = sums[entry]
      sums[entry] = 0
      if let best, (best.count, entry) > (count, best.entry) { continue }
      best = (entry, count)
    }
    seen.removeAll(keepingCapacity: true)
    found.removeAll(keepingCapacity: true)
    return best
  }
}

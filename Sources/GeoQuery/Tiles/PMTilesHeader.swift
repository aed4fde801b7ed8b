/// The header of PMTiles 3 (§3).
struct PMTilesHeader {
  static let length = 127

  /// The range of a section in the file.
  struct Section {
    let offset: Int
    let length: Int
  }

  let root: Section
  let metadata: Section
  let leaves: Section
  let data: Section

  /// The numbers of tiles, entries and distinct contents.
  let counts: (tiles: Int, entries: Int, contents: Int)

  let zooms: ClosedRange<Int>
  let bounds: TileBounds

  /// The header as stored, little-endian.
  var bytes: [UInt8] {
    var bytes = Array("PMTiles".utf8)
    bytes.append(3)
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    for section in [root, metadata, leaves, data] {
      add(UInt64(section.offset))
      add(UInt64(section.length))
    }
    for count in [counts.tiles, counts.entries, counts.contents] { add(UInt64(count)) }
    // clustered; gzip inside; gzip tiles; Mapbox Vector Tiles
    bytes += [1, 2, 2, 1, UInt8(zooms.lowerBound), UInt8(zooms.upperBound)]
    for side in bounds.sides { add(side) }
    add(UInt8(bounds.zoom(in: zooms)))
    for side in bounds.center { add(side) }
    return bytes
  }
}

import GeoIndex

/// Writes PMTiles 3: tiles along a Hilbert curve, equal ones once.
///
/// The tiles wait in a file without a name beside the output, the directory in memory.
struct PMTilesWriter {
  private let compress: ([UInt8]) throws -> [UInt8]
  private let path: String
  private let data: Spool
  private var entries: [PMTilesDirectory.Entry] = []

  /// Where each content is, by its hash.
  private var contents: [ContentHash: (offset: UInt64, length: UInt32)] = [:]

  /// Nobody who does not know the key can make two tiles meet; what is written does not depend on it.
  private let key = SipHash.Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max))

  /// How many tiles were added.
  private(set) var count = 0

  /// - Parameters:
  ///   - path: The output.
  ///   - compress: Makes gzip.
  init(beside path: String, compress: @escaping ([UInt8]) throws -> [UInt8]) {
    self.path = path
    data = Spool(beside: path)
    self.compress = compress
  }

  /// Adds a tile.
  ///
  /// - Parameters:
  ///   - number: Greater than those before.
  ///   - tile: The tile before it is compressed.
  /// - Throws: `SnapshotError` if it cannot wait, or the numbers do not ascend; what `compress` throws.
  mutating func add(_ number: UInt64, _ tile: [UInt8]) throws {
    if let last = entries.last, number < last.number + UInt64(last.run) {
      throw SnapshotError.notWritten(path, because: "the order of the map's cells is damaged")
    }
    count += 1
    let hash = ContentHash(tile, key)
    let place: (offset: UInt64, length: UInt32)
    if let known = contents[hash] {
      place = known
      if let last = entries.last, last.offset == known.offset,
        last.number + UInt64(last.run) == number
      {
        entries[entries.count - 1].run += 1
        return
      }
    } else {
      let packed = try compress(tile)
      place = (UInt64(data.count), UInt32(packed.count))
      try packed.withUnsafeBytes { try data.append($0) }
      contents[hash] = place
    }
    entries.append(
      PMTilesDirectory.Entry(number: number, offset: place.offset, length: place.length, run: 1)
    )
  }

  /// Writes the file from its beginning to its end.
  ///
  /// - Parameters:
  ///   - zooms: Those of the tiles.
  ///   - bounds: The box around all restaurants.
  ///   - write: Takes the bytes, a piece at a time.
  /// - Throws: `SnapshotError` if what waits cannot be read, and what the closures throw.
  mutating func finish(
    zooms: ClosedRange<Int>,
    bounds: TileBounds,
    to write: ([UInt8]) throws -> Void
  ) throws {
    // readers refuse a directory without an entry
    if entries.isEmpty {
      try add(TileAddress.firstNumber(ofZoom: zooms.lowerBound), [])
    }
    let directory = try PMTilesDirectory(entries, compress: compress)
    let metadata = try compress(Array(Self.metadata.utf8))
    var offset = PMTilesHeader.length
    func section(_ length: Int) -> PMTilesHeader.Section {
      defer { offset += length }
      return PMTilesHeader.Section(offset: offset, length: length)
    }
    let header = PMTilesHeader(
      root: section(directory.root.count),
      metadata: section(metadata.count),
      leaves: section(directory.leaves.count),
      data: section(data.count),
      counts: (count, entries.count, contents.count),
      zooms: zooms,
      bounds: bounds
    )
    for part in [header.bytes, directory.root, metadata, directory.leaves] { try write(part) }
    var written = 0
    while written < data.count {
      let piece = try data.piece(from: written)
      try write(piece)
      written += piece.count
    }
  }

  private struct ContentHash: Hashable {
    private let low: UInt64
    private let high: UInt64

    init(_ tile: [UInt8], _ key: SipHash.Key) {
      (low, high) = tile.withUnsafeBytes { SipHash.long($0, key: key) }
    }
  }

  /// What the file says of itself (§5).
  private static let metadata =
    "{\"name\":\"Restaurants\",\"type\":\"overlay\",\"generator\":\"geoq\","
    + "\"description\":\"Restaurants, and clusters of them with exact counts.\","
    + "\"vector_layers\":\(TileLayer.vectorLayers)}\n"
}

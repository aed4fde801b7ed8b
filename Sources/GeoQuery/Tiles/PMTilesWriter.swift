import GeoIndex

/// Writes PMTiles 3: tiles along a Hilbert curve, equal ones once.
///
/// The tiles are collected in a nameless file next to the output, the directory in memory.
struct PMTilesWriter {
  private let compress: ([UInt8]) throws -> [UInt8]
  private let path: String
  private let data: Spool
  private var entries: [PMTilesDirectory.Entry] = []

  /// The range of each content, by its hash.
  private var contents: [ContentHash: (offset: UInt64, length: UInt32)] = [:]

  /// A random key, so that clients cannot make two tiles collide; the output does not depend on it.
  private let key = SipHash.Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max))

  /// The number of tiles added.
  private(set) var count = 0

  /// - Parameters:
  ///   - path: The output.
  ///   - compress: Compresses bytes with gzip.
  init(beside path: String, compress: @escaping ([UInt8]) throws -> [UInt8]) {
    self.path = path
    data = Spool(beside: path)
    self.compress = compress
  }

  /// Adds a tile.
  ///
  /// - Parameters:
  ///   - number: Must be greater than all previous numbers.
  ///   - tile: The tile, not compressed.
  /// - Throws: `SnapshotError` if it cannot be stored, or the numbers do not ascend; errors of
  ///   `compress`.
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

  /// Writes the whole file.
  ///
  /// - Parameters:
  ///   - zooms: The zoom levels of the tiles.
  ///   - bounds: The box around all restaurants.
  ///   - write: Receives the bytes piece by piece.
  /// - Throws: `SnapshotError` if the stored tiles cannot be read, and errors of the closures.
  mutating func finish(
    zooms: ClosedRange<Int>,
    bounds: TileBounds,
    to write: ([UInt8]) throws -> Void
  ) throws {
    // readers reject a directory without entries
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

  /// The metadata of the file (§5).
  private static let metadata =
    "{\"name\":\"\(TileLayer.setName)\",\"type\":\"overlay\",\"generator\":\"geoq\","
    + "\"description\":\"\(TileLayer.setSummary)\","
    + "\"vector_layers\":\(TileLayer.vectorLayers)}\n"
}

extension QueryEngine {
  /// Writes tiles as PMTiles 3; the same tiles give the same bytes.
  ///
  /// The tiles are those of `makeTiles`, compressed; without any restaurant there is one empty
  /// tile.
  ///
  /// - Parameters:
  ///   - wanted: The tiles to write.
  ///   - path: The path of the output, next to which the tiles are collected.
  ///   - compress: Compresses bytes with gzip.
  ///   - progress: Called for each tile with its zoom and the number of tiles so far.
  ///   - write: Receives the bytes piece by piece.
  /// - Returns: The counts.
  /// - Throws: `SnapshotError` if the tiles cannot be stored, and errors of the closures.
  package func writePMTiles(
    _ wanted: TilesToFile,
    beside path: String,
    compress: @escaping ([UInt8]) throws -> [UInt8],
    progress: (_ zoom: Int, _ count: Int) -> Void = { _, _ in },
    to write: ([UInt8]) throws -> Void
  ) throws -> TilesInFile {
    var writer = PMTilesWriter(beside: path, compress: compress)
    let run = try makeTiles(wanted, progress: progress) { address, tile in
      try writer.add(address.hilbertNumber, tile)
    }
    try writer.finish(zooms: run.written.zooms, bounds: run.bounds, to: write)
    return run.written
  }
}

import Foundation
import GeoIndex

// PMTiles 3, https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md: its header, its
// directories, the writer, and the reader of files that may be from any program.

/// The header of a PMTiles 3 file (§3): little-endian.
struct PMTilesHeader {
  static let length = 127

  let root: TileFileBytes.Section
  let metadata: TileFileBytes.Section
  let leaves: TileFileBytes.Section
  let data: TileFileBytes.Section
  let hasPackedDirectories: Bool
  let format: TileFileInfo.Format
  let zooms: (least: Int, greatest: Int)

  /// West, south, east and north in degrees.
  let bounds: [Double]

  /// Reads the header of a file.
  ///
  /// - Throws: `TileFileError` if it is not a header, or has ranges outside the file.
  init(_ file: TileFileBytes) throws {
    let bytes = try file.read(0, UInt64(Self.length), of: file.all, Self.length)
    func fault(_ reason: String) -> TileFileError { TileFileError(file.path, because: reason) }
    guard bytes.starts(with: PMTilesFile.magic) else { throw fault("it is not a PMTiles file") }
    guard bytes[7] == 3 else {
      throw fault("it is PMTiles \(bytes[7]), not 3; make it again as version 3")
    }
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    func section(_ index: Int) throws -> TileFileBytes.Section {
      try file.section(number(8 + index * 16, 8), number(16 + index * 16, 8), of: file.all)
    }
    root = try section(0)
    metadata = try section(1)
    leaves = try section(2)
    data = try section(3)
    // 1 is none, 2 gzip; 0 means unknown, as for pictures
    guard (1...2).contains(bytes[97]), (0...2).contains(bytes[98]) else {
      throw fault("its compression is not gzip; make it again with gzip")
    }
    hasPackedDirectories = bytes[97] == 2
    guard let format = TileFileInfo.Format(number: bytes[99]) else {
      throw fault("its tiles are neither MVT nor PNG, JPEG, WebP or AVIF")
    }
    self.format = format
    zooms = (Int(bytes[100]), Int(bytes[101]))
    bounds = [102, 106, 110, 114].map {
      Double(Int32(truncatingIfNeeded: number($0, 4))) / 1e7
    }
  }

  /// The header of vector tiles in the order of their numbers, everything compressed with gzip.
  ///
  /// - Parameters:
  ///   - lengths: Those of root, metadata, leaves and data, which follow in this order.
  ///   - counts: The numbers of tiles, entries and distinct contents.
  ///   - zooms: The zoom levels of the tiles.
  ///   - bounds: The box around all restaurants.
  /// - Returns: The header as it is stored.
  static func bytes(
    lengths: [Int],
    counts: [Int],
    zooms: ClosedRange<Int>,
    bounds: TileBounds
  ) -> [UInt8] {
    var bytes = PMTilesFile.magic + [3]
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    var offset = length
    for length in lengths {
      add(UInt64(offset))
      add(UInt64(length))
      offset += length
    }
    for count in counts { add(UInt64(count)) }
    // clustered; gzip inside; gzip tiles; Mapbox Vector Tiles
    bytes += [1, 2, 2, 1, UInt8(zooms.lowerBound), UInt8(zooms.upperBound)]
    for side in bounds.sides { add(side) }
    add(UInt8(bounds.zoom(in: zooms)))
    for side in bounds.center { add(side) }
    return bytes
  }
}

/// A directory of PMTiles 3 (§4): the byte ranges of tiles, ascending by number.
struct PMTilesDirectory {
  /// Consecutive tiles with the same bytes; or, with a run of 0, a leaf.
  struct Entry: Hashable {
    /// The number of the first tile.
    let number: UInt64

    /// The offset of the bytes in their section.
    var offset: UInt64

    /// The number of bytes.
    var length: UInt32

    /// The number of consecutive tiles with these bytes; 0 for a leaf.
    var run: UInt32
  }

  private let entries: [Entry]

  /// The number of entries.
  var count: Int { entries.count }

  /// Reads a decompressed directory; nil if it is damaged.
  init?(_ bytes: [UInt8]) {
    var reader = VarintReader(bytes: bytes[...])
    // an entry has four numbers of at least one byte
    guard let count = reader.next(), count <= UInt64(bytes.count / 4) else { return nil }
    var entries: [Entry] = []
    for index in 0..<count {
      guard let step = reader.next(), index == 0 || step > 0 else { return nil }
      let (number, isTooGreat) = (entries.last?.number ?? 0).addingReportingOverflow(step)
      if isTooGreat { return nil }
      entries.append(Entry(number: number, offset: 0, length: 0, run: 0))
    }
    func short() -> UInt32? { reader.next().flatMap(UInt32.init(exactly:)) }
    for index in entries.indices {
      guard let run = short() else { return nil }
      entries[index].run = run
    }
    for index in entries.indices {
      guard let length = short() else { return nil }
      entries[index].length = length
    }
    var end: UInt64?
    for index in entries.indices {
      guard let stored = reader.next(), let offset = stored > 0 ? stored - 1 : end else {
        return nil
      }
      let (after, isTooGreat) = offset.addingReportingOverflow(UInt64(entries[index].length))
      if isTooGreat { return nil }
      end = after
      entries[index].offset = offset
    }
    self.entries = entries
  }

  /// The last entry whose number is at most `number`; nil if there is none.
  func last(upTo number: UInt64) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }

  /// Divides entries between a root, which is small enough, and leaves.
  ///
  /// - Parameters:
  ///   - entries: At least one, ascending by number.
  ///   - leafSize: The initial number of entries per leaf.
  ///   - compress: Compresses bytes with gzip.
  /// - Returns: Both as they are stored, the leaves one after another; no leaves if all entries
  ///   fit into the root.
  static func divided(
    _ entries: [Entry],
    leafSize: Int = 4_096,
    compress: ([UInt8]) throws -> [UInt8]
  ) rethrows -> (root: [UInt8], leaves: [UInt8]) {
    // the root must end in the first 16 KiB, after the header
    let limit = 16_384 - PMTilesHeader.length
    // with more entries than bytes, one directory cannot be small enough
    if entries.count <= limit {
      let root = try compress(bytes(of: entries[...]))
      if root.count <= limit { return (root, []) }
    }
    var size = leafSize
    while true {
      var leaves: [UInt8] = []
      var starts: [Entry] = []
      for start in stride(from: 0, to: entries.count, by: size) {
        let leaf = try compress(bytes(of: entries[start..<min(start + size, entries.count)]))
        let (offset, length) = (UInt64(leaves.count), UInt32(leaf.count))
        starts.append(Entry(number: entries[start].number, offset: offset, length: length, run: 0))
        leaves += leaf
      }
      let root = try compress(bytes(of: starts[...]))
      if root.count <= limit { return (root, leaves) }
      size *= 2
    }
  }

  /// A directory before it is compressed (§4.2).
  static func bytes(of entries: ArraySlice<Entry>) -> [UInt8] {
    var buffer = ProtocolBuffer()
    buffer.number(UInt64(entries.count))
    var last: UInt64 = 0
    for entry in entries {
      buffer.number(entry.number - last)
      last = entry.number
    }
    for entry in entries { buffer.number(UInt64(entry.run)) }
    for entry in entries { buffer.number(UInt64(entry.length)) }
    var end: UInt64?
    for entry in entries {
      // 0 means that the bytes follow those of the previous entry
      buffer.number(entry.offset == end ? 0 : entry.offset + 1)
      end = entry.offset + UInt64(entry.length)
    }
    return buffer.bytes
  }
}

/// Reads numbers with seven bits per byte.
private struct VarintReader {
  var bytes: ArraySlice<UInt8>

  /// The next number; nil if it is truncated or has more than 64 bits.
  mutating func next() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = bytes.popFirst(), shift < 63 || byte <= 1 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}

/// Writes PMTiles 3: tiles along a Hilbert curve, equal ones once.
///
/// The tiles are collected in a nameless file next to the output, the directory in memory.
struct PMTilesWriter {
  private let compress: ([UInt8]) throws -> [UInt8]
  private let path: String
  private let data: SpillFile
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
    data = SpillFile(beside: path)
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
    let (root, leaves) = try PMTilesDirectory.divided(entries, compress: compress)
    let metadata = try compress(Array(Self.metadata.utf8))
    let header = PMTilesHeader.bytes(
      lengths: [root.count, metadata.count, leaves.count, data.count],
      counts: [count, entries.count, contents.count],
      zooms: zooms,
      bounds: bounds
    )
    for part in [header, root, metadata, leaves] { try write(part) }
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

/// Reads PMTiles 3 files of any program, without copying them.
///
/// A tile costs one read for its bytes, and one for each directory that is not in memory. Reads are
/// bounded (`TileFileLimits`) and inside the file: damage leads to an error, or to other bytes.
package struct PMTilesFile: TileFile {
  /// The first bytes of a file.
  package static let magic = Array("PMTiles".utf8)

  package let info: TileFileInfo

  private let bytes: TileFileBytes
  private let leaves: TileFileBytes.Section
  private let data: TileFileBytes.Section
  private let root: PMTilesDirectory
  private let memory = LeafMemory()
  private let unpackDirectory: Unpack

  /// Decompresses gzip; nil if it is damaged, or longer than the limit.
  package typealias Unpack = @Sendable (_ packed: [UInt8], _ limit: Int) -> [UInt8]?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - unpack: Decompresses gzip.
  /// - Throws: `TileFileError` if it is not PMTiles 3, or damaged.
  package init(_ bytes: TileFileBytes, unpack: @escaping Unpack) throws {
    let header = try PMTilesHeader(bytes)
    self.bytes = bytes
    leaves = header.leaves
    data = header.data
    let isPacked = header.hasPackedDirectories
    let unpackDirectory: Unpack = { isPacked ? unpack($0, $1) : $0.count <= $1 ? $0 : nil }
    self.unpackDirectory = unpackDirectory
    root = try Self.entries(bytes, header.root, unpackDirectory)
    info = TileFileInfo(
      format: header.format,
      zooms: header.zooms,
      bounds: header.bounds,
      metadata: try Self.metadata(bytes, header.metadata, unpackDirectory),
      identity: bytes.identity
    )
  }

  package func tile(_ address: TileAddress) throws -> [UInt8]? {
    let number = address.hilbertNumber
    var entries = root
    for _ in 0..<TileFileLimits.depth {
      guard let entry = entries.last(upTo: number) else { return nil }
      if entry.run > 0 {
        guard number - entry.number < UInt64(entry.run), entry.length > 0 else { return nil }
        return try bytes.read(entry.offset, UInt64(entry.length), of: data, TileFileLimits.tile)
      }
      entries = try leaf(entry)
    }
    throw TileFileError(bytes.path, because: "its directories are nested too deeply")
  }

  private func leaf(_ entry: PMTilesDirectory.Entry) throws -> PMTilesDirectory {
    if let known = memory.leaf(at: entry.offset, length: entry.length) { return known }
    let section = try bytes.section(entry.offset, UInt64(entry.length), of: leaves)
    let found = try Self.entries(bytes, section, unpackDirectory)
    memory.remember(found, at: entry.offset, length: entry.length)
    return found
  }

  private static func entries(
    _ bytes: TileFileBytes,
    _ section: TileFileBytes.Section,
    _ unpack: Unpack
  ) throws -> PMTilesDirectory {
    let packed = try bytes.read(section, TileFileLimits.directory)
    guard let directory = unpack(packed, TileFileLimits.unpackedDirectory),
      let entries = PMTilesDirectory(directory)
    else { throw TileFileError(bytes.path, because: "a directory of tiles is damaged") }
    return entries
  }

  private static func metadata(
    _ bytes: TileFileBytes,
    _ section: TileFileBytes.Section,
    _ unpack: Unpack
  ) throws -> JSONValue {
    if section.length == 0 { return .null }
    let packed = try bytes.read(section, TileFileLimits.metadata)
    guard let text = unpack(packed, TileFileLimits.metadata),
      let value = try? JSONValue(parsing: text)
    else { throw TileFileError(bytes.path, because: "its metadata is damaged") }
    return value
  }
}

/// A cache of the directories that were read last.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
private final class LeafMemory: @unchecked Sendable {
  private let lock = NSLock()
  private var leaves: [(offset: UInt64, length: UInt32, entries: PMTilesDirectory)] = []
  private var count = 0

  /// A directory; nil if it is not in the cache.
  func leaf(at offset: UInt64, length: UInt32) -> PMTilesDirectory? {
    lock.withLock { leaves.first { $0.offset == offset && $0.length == length }?.entries }
  }

  /// Adds a directory, and removes the oldest ones if there are too many.
  func remember(_ entries: PMTilesDirectory, at offset: UInt64, length: UInt32) {
    lock.withLock {
      leaves.append((offset, length, entries))
      count += entries.count
      while leaves.count > 1, leaves.count > 64 || count > TileFileLimits.keptEntries {
        count -= leaves.removeFirst().entries.count
      }
    }
  }
}

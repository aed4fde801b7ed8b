import Foundation
import GeoIndex

// PMTiles 3, https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md: its header, its
// directories, the writer, and the reader of files that may be from any program.

/// The header of a PMTiles 3 file (§3): little-endian numbers after the first bytes and the version.
enum PMTilesHeader {
  static let length = 127

  /// The bytes of each number: offset and length of root, metadata, leaves and data; how many tiles,
  /// entries and contents; whether the tiles are clustered, the compression of directories and of tiles,
  /// their type, their zooms; the bounds and the center, with its zoom.
  private static let widths =
    Array(repeating: 8, count: 11) + Array(repeating: 1, count: 6) + [4, 4, 4, 4, 1, 4, 4]

  static func numbers(of header: [UInt8]) -> [UInt64] {
    var rest = header.dropFirst(PMTilesFile.magic.count + 1)
    return widths.map { width in
      defer { rest.removeFirst(width) }
      return rest.prefix(width).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The header of vector tiles in the order of their numbers, everything compressed with gzip.
  ///
  /// The lengths are those of root, metadata, leaves and data, which follow in this order; the
  /// counts are the numbers of tiles, entries and distinct contents.
  static func bytes(
    lengths: [Int],
    counts: [Int],
    zooms: ClosedRange<Int>,
    bounds: TileBounds
  ) -> [UInt8] {
    var numbers: [Int] = []
    var offset = length
    for length in lengths {
      numbers += [offset, length]
      offset += length
    }
    // clustered; gzip inside; gzip tiles; Mapbox Vector Tiles
    numbers += counts + [1, 2, 2, 1, zooms.lowerBound, zooms.upperBound]
    numbers += bounds.sides.map(Int.init) + [bounds.zoom(in: zooms)] + bounds.center.map(Int.init)
    var bytes = PMTilesFile.magic + [3]
    for (number, width) in zip(numbers, widths) {
      for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }
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

    var length: UInt32

    /// The number of consecutive tiles with these bytes; 0 for a leaf.
    var run: UInt32
  }

  private let entries: [Entry]

  var count: Int { entries.count }

  /// Reads a decompressed directory; nil if it is damaged.
  ///
  /// It has the steps between the numbers of all entries, then all runs, all lengths, all offsets.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    // an entry has four numbers of at least one byte
    guard let stored = Self.number(from: &rest), stored <= UInt64(bytes.count / 4) else {
      return nil
    }
    let count = Int(stored)
    var numbers: [UInt64] = []
    for _ in 0..<4 * count {
      guard let number = Self.number(from: &rest) else { return nil }
      numbers.append(number)
    }
    var entries: [Entry] = []
    var (last, end): (UInt64, UInt64?) = (0, nil)
    for index in 0..<count {
      let (step, place) = (numbers[index], numbers[3 * count + index])
      guard index == 0 || step > 0,
        let run = UInt32(exactly: numbers[count + index]),
        let length = UInt32(exactly: numbers[2 * count + index]),
        let offset = place > 0 ? place - 1 : end
      else { return nil }
      let (number, isTooGreat) = last.addingReportingOverflow(step)
      let (after, isTooFar) = offset.addingReportingOverflow(UInt64(length))
      if isTooGreat || isTooFar { return nil }
      entries.append(Entry(number: number, offset: offset, length: length, run: run))
      (last, end) = (number, after)
    }
    self.entries = entries
  }

  /// Reads a number with seven bits per byte; nil if it is truncated or has more than 64 bits.
  private static func number(from bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = bytes.popFirst(), shift < 63 || byte <= 1 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  /// The last entry whose number is at most `number`; nil if there is none.
  func last(upTo number: UInt64) -> Entry? {
    let index = entries.partitionPoint { $0.number > number }
    return index > 0 ? entries[index - 1] : nil
  }

  /// Divides entries between a root that is small enough, and leaves.
  ///
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

/// Writes PMTiles 3: tiles along a Hilbert curve, equal ones once.
///
/// The tiles are collected in a nameless file next to the output, the directory in memory.
struct PMTilesWriter {
  private let compress: ([UInt8]) throws -> [UInt8]
  private let path: String
  private let data: SpillFile
  private var entries: [PMTilesDirectory.Entry] = []

  /// The range of each content, by the two halves of its hash.
  private var contents: [SIMD2<UInt64>: (offset: UInt64, length: UInt32)] = [:]

  /// A random key, so that clients cannot make two tiles collide; the output does not depend on it.
  private let key = SipHash.Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max))

  /// The number of tiles added.
  private(set) var count = 0

  /// A writer that compresses with gzip, and collects tiles next to the output.
  init(beside path: String, compress: @escaping ([UInt8]) throws -> [UInt8]) {
    self.path = path
    data = SpillFile(beside: path)
    self.compress = compress
  }

  /// Adds a tile that is not compressed; its number must be greater than all previous ones.
  ///
  /// - Throws: `SnapshotError` if it cannot be stored or the numbers do not ascend, errors of
  ///   `compress`.
  mutating func add(_ number: UInt64, _ tile: [UInt8]) throws {
    if let last = entries.last, number < last.number + UInt64(last.run) {
      throw SnapshotError.notWritten(path, because: "the order of the map's cells is damaged")
    }
    count += 1
    let (low, high) = tile.withUnsafeBytes { SipHash.long($0, key: key) }
    let hash = SIMD2(low, high)
    if let (offset, length) = contents[hash] {
      if let last = entries.last, last.offset == offset, last.number + UInt64(last.run) == number {
        entries[entries.count - 1].run += 1
      } else {
        entries.append(.init(number: number, offset: offset, length: length, run: 1))
      }
      return
    }
    let packed = try compress(tile)
    let (offset, length) = (UInt64(data.count), UInt32(packed.count))
    try packed.withUnsafeBytes { try data.append($0) }
    contents[hash] = (offset, length)
    entries.append(.init(number: number, offset: offset, length: length, run: 1))
  }

  /// Writes the whole file, piece by piece.
  ///
  /// - Throws: `SnapshotError` if the stored tiles cannot be read, and errors of the closures.
  mutating func finish(
    zooms: ClosedRange<Int>,
    bounds: TileBounds,
    credits: Credits = .none,
    to write: ([UInt8]) throws -> Void
  ) throws {
    // readers reject a directory without entries
    if entries.isEmpty { try add(TileAddress.firstNumber(ofZoom: zooms.lowerBound), []) }
    let (root, leaves) = try PMTilesDirectory.divided(entries, compress: compress)
    let metadata = try compress(Self.metadata(credits))
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

  /// The metadata of the file (§5).
  private static func metadata(_ credits: Credits) -> [UInt8] {
    var json = JSONWriter()
    json.raw("{\"name\":\"\(TileLayer.setName)\",\"type\":\"overlay\",\"generator\":\"geoq\",")
    json.raw("\"description\":\"\(TileLayer.setSummary)\",")
    if let html = credits.html {
      json.members([JSONMember(name: "attribution", value: .string(html))])
    }
    json.raw("\"vector_layers\":\(TileLayer.vectorLayers)}\n")
    return json.bytes
  }
}

extension QueryEngine {
  /// Writes tiles as PMTiles 3; the same tiles give the same bytes.
  ///
  /// The tiles are those of `makeTiles`; without any restaurant there is one empty tile.
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
    let written = try makeTiles(wanted, progress: progress) { address, tile in
      try writer.add(address.hilbertNumber, tile)
    }
    let (zooms, bounds) = (written.zooms, written.bounds)
    try writer.finish(zooms: zooms, bounds: bounds, credits: wanted.credits, to: write)
    return written
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
  private let directories = RecentValues<TileFileBytes.Section, PMTilesDirectory>(
    capacity: 64,
    maximumCost: TileFileLimits.keptEntries
  )

  /// Decompresses directories and metadata.
  private let unpack: Unpack

  /// Decompresses gzip; nil if it is damaged, or longer than the limit.
  package typealias Unpack = @Sendable (_ packed: [UInt8], _ limit: Int) -> [UInt8]?

  /// Opens a file.
  ///
  /// - Throws: `TileFileError` if it is not PMTiles 3, or damaged.
  package init(_ bytes: TileFileBytes, unpack: @escaping Unpack) throws {
    func fault(_ reason: String) -> TileFileError { TileFileError(bytes.path, because: reason) }
    let length = PMTilesHeader.length
    let header = try bytes.read(bytes.section(0, UInt64(length), of: bytes.all), length)
    guard header.starts(with: Self.magic) else { throw fault("it is not a PMTiles file") }
    guard header[7] == 3 else {
      throw fault("it is PMTiles \(header[7]), not 3; make it again as version 3")
    }
    let numbers = PMTilesHeader.numbers(of: header)
    let sections = try (0..<4).map { index in
      try bytes.section(numbers[2 * index], numbers[2 * index + 1], of: bytes.all)
    }
    // 1 is none, 2 gzip; 0 means unknown, as for pictures
    guard (1...2).contains(numbers[12]), (0...2).contains(numbers[13]) else {
      throw fault("its compression is not gzip; make it again with gzip")
    }
    guard let format = TileFileInfo.Format(number: UInt8(numbers[14])) else {
      throw fault("its tiles are neither MVT nor PNG, JPEG, WebP or AVIF")
    }
    self.bytes = bytes
    (leaves, data) = (sections[2], sections[3])
    let isPacked = numbers[12] == 2
    let unpack: Unpack = { isPacked ? unpack($0, $1) : $0.count <= $1 ? $0 : nil }
    self.unpack = unpack
    root = try Self.directory(bytes, sections[0], unpack)
    info = TileFileInfo(
      format: format,
      zooms: (Int(numbers[15]), Int(numbers[16])),
      bounds: numbers[17..<21].map { Double(Int32(truncatingIfNeeded: $0)) / 1e7 },
      metadata: try Self.metadata(bytes, sections[1], unpack),
      identity: bytes.identity
    )
  }

  package func tile(_ address: TileAddress) throws -> [UInt8]? {
    let number = address.hilbertNumber
    var entries = root
    for _ in 0..<TileFileLimits.depth {
      guard let entry = entries.last(upTo: number) else { return nil }
      let isTile = entry.run > 0
      if isTile, number - entry.number >= UInt64(entry.run) || entry.length == 0 { return nil }
      let outer = isTile ? data : leaves
      let section = try bytes.section(entry.offset, UInt64(entry.length), of: outer)
      if isTile { return try bytes.read(section, TileFileLimits.tile) }
      if let known = directories[section] {
        entries = known
      } else {
        entries = try Self.directory(bytes, section, unpack)
        directories.insert(entries, for: section, cost: entries.count)
      }
    }
    throw TileFileError(bytes.path, because: "its directories are nested too deeply")
  }

  private static func directory(
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

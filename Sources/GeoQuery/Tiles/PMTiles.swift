import Foundation
import GeoIndex

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

/// The header of a PMTiles 3 file (§3), which may be from any program.
struct PMTilesFileHeader {
  let root: FileBytes.Section
  let metadata: FileBytes.Section
  let leaves: FileBytes.Section
  let data: FileBytes.Section
  let hasPackedDirectories: Bool
  let format: TileFileInfo.Format
  let zooms: (least: Int, greatest: Int)

  /// West, south, east and north in degrees.
  let bounds: [Double]

  /// Reads the header.
  ///
  /// - Throws: `TileFileError` if it is not a header, or has ranges outside the file.
  init(_ file: FileBytes) throws {
    let length = UInt64(PMTilesHeader.length)
    let bytes = try file.read(file.section(0, length, of: file.all), PMTilesHeader.length)
    func fault(_ reason: String) -> TileFileError { TileFileError(file.path, because: reason) }
    guard bytes.starts(with: PMTilesFile.magic) else { throw fault("it is not a PMTiles file") }
    guard bytes[7] == 3 else {
      throw fault("it is PMTiles \(bytes[7]), not 3; make it again as version 3")
    }
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    func section(_ index: Int) throws -> FileBytes.Section {
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
}

/// A directory of PMTiles 3 (§4): the byte ranges of tiles.
struct PMTilesDirectory {
  /// Consecutive tiles with the same bytes; or, with a run of 0, a leaf.
  struct Entry: Hashable {
    /// The number of the first tile.
    let number: UInt64

    /// The offset of the bytes in their section.
    let offset: UInt64

    /// The number of bytes.
    let length: UInt32

    /// The number of consecutive tiles with these bytes; 0 for a leaf.
    var run: UInt32
  }

  /// The root must end in the first 16 KiB, after the header.
  static let rootLimit = 16_384 - PMTilesHeader.length

  /// The root as it is stored.
  let root: [UInt8]

  /// The leaves as stored, one after another; empty if all entries fit into the root.
  let leaves: [UInt8]

  /// Divides the entries between root and leaves, so that the root is small enough.
  ///
  /// - Parameters:
  ///   - entries: At least one, ascending by number.
  ///   - leafSize: The initial number of entries per leaf.
  ///   - compress: Compresses bytes with gzip.
  init(
    _ entries: [Entry],
    leafSize: Int = 4_096,
    compress: ([UInt8]) throws -> [UInt8]
  ) rethrows {
    // with more entries than bytes, one directory cannot be small enough
    if entries.count <= Self.rootLimit {
      let root = try compress(Self.bytes(of: entries[...]))
      if root.count <= Self.rootLimit {
        self.root = root
        leaves = []
        return
      }
    }
    var size = leafSize
    while true {
      let (root, leaves) = try Self.divided(entries, size, compress)
      if root.count <= Self.rootLimit {
        self.root = root
        self.leaves = leaves
        return
      }
      size *= 2
    }
  }

  private static func divided(
    _ entries: [Entry],
    _ size: Int,
    _ compress: ([UInt8]) throws -> [UInt8]
  ) rethrows -> (root: [UInt8], leaves: [UInt8]) {
    var leaves: [UInt8] = []
    var root: [Entry] = []
    for start in stride(from: 0, to: entries.count, by: size) {
      let leaf = try compress(bytes(of: entries[start..<min(start + size, entries.count)]))
      let offset = UInt64(leaves.count)
      let length = UInt32(leaf.count)
      root.append(Entry(number: entries[start].number, offset: offset, length: length, run: 0))
      leaves += leaf
    }
    return (try compress(bytes(of: root[...])), leaves)
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

/// The entries of a PMTiles 3 directory (§4), which may be from any program.
struct PMTilesEntries: Sendable {
  private let entries: [PMTilesDirectory.Entry]

  /// The number of entries.
  var count: Int { entries.count }

  /// Reads a decompressed directory; nil if it is damaged.
  init?(_ bytes: [UInt8]) {
    var reader = VarintReader(bytes)
    // an entry has four numbers of at least one byte
    guard let count = reader.next(), count <= UInt64(bytes.count / 4) else { return nil }
    var numbers: [UInt64] = []
    var runs: [UInt32] = []
    var lengths: [UInt32] = []
    var last: UInt64 = 0
    for index in 0..<count {
      guard let step = reader.next(), index == 0 || step > 0 else { return nil }
      let (number, isTooGreat) = last.addingReportingOverflow(step)
      if isTooGreat { return nil }
      numbers.append(number)
      last = number
    }
    for _ in 0..<count {
      guard let run = reader.next().flatMap(UInt32.init(exactly:)) else { return nil }
      runs.append(run)
    }
    for _ in 0..<count {
      guard let length = reader.next().flatMap(UInt32.init(exactly:)) else { return nil }
      lengths.append(length)
    }
    var entries: [PMTilesDirectory.Entry] = []
    var end: UInt64?
    for index in numbers.indices {
      guard let stored = reader.next(), let offset = stored > 0 ? stored - 1 : end else {
        return nil
      }
      let (after, isTooGreat) = offset.addingReportingOverflow(UInt64(lengths[index]))
      if isTooGreat { return nil }
      end = after
      entries.append(
        .init(number: numbers[index], offset: offset, length: lengths[index], run: runs[index])
      )
    }
    self.entries = entries
  }

  /// The last entry whose number is at most `number`; nil if there is none.
  func last(upTo number: UInt64) -> PMTilesDirectory.Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }
}

/// Reads numbers with seven bits per byte.
private struct VarintReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The next number; nil if it is truncated or has more than 64 bits.
  mutating func next() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}

/// A cache of the directories that were read last.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class LeafMemory: @unchecked Sendable {
  private let lock = NSLock()
  private var leaves: [(offset: UInt64, length: UInt32, entries: PMTilesEntries)] = []
  private var count = 0

  /// A directory; nil if it is not in the cache.
  func leaf(at offset: UInt64, length: UInt32) -> PMTilesEntries? {
    lock.withLock { leaves.first { $0.offset == offset && $0.length == length }?.entries }
  }

  /// Adds a directory, and removes the oldest ones if there are too many.
  func remember(_ entries: PMTilesEntries, at offset: UInt64, length: UInt32) {
    lock.withLock {
      leaves.append((offset, length, entries))
      count += entries.count
      while leaves.count > 1, leaves.count > 64 || count > TileFileLimits.keptEntries {
        count -= leaves.removeFirst().entries.count
      }
    }
  }
}

/// A directory of PMTiles 3 (§4): which bytes are which tiles.
struct PMTilesDirectory {
  /// The tiles from a number on that are the same bytes; or a leaf, with a run of 0.
  struct Entry: Hashable {
    /// The number of the first tile.
    let number: UInt64

    /// Where the bytes begin in their section.
    let offset: UInt64

    /// How many they are.
    let length: UInt32

    /// How many tiles follow each other with these bytes; 0 for a leaf.
    var run: UInt32
  }

  /// The root has to end in the first 16 KiB, after the header.
  static let rootLimit = 16_384 - PMTilesHeader.length

  /// The root as it is stored.
  let root: [UInt8]

  /// The leaves as they are stored, one after the other; none if the root has room for all.
  let leaves: [UInt8]

  /// Lays out the entries, so that the root is small enough.
  ///
  /// - Parameters:
  ///   - entries: One at least, ascending by number.
  ///   - leafSize: How many entries a leaf gets, to begin with.
  ///   - compress: Makes gzip.
  init(
    _ entries: [Entry],
    leafSize: Int = 4_096,
    compress: ([UInt8]) throws -> [UInt8]
  ) rethrows {
    // with more entries than bytes it is not worth a try
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
      // 0 is for bytes that follow those of the entry before
      buffer.number(entry.offset == end ? 0 : entry.offset + 1)
      end = entry.offset + UInt64(entry.length)
    }
    return buffer.bytes
  }
}

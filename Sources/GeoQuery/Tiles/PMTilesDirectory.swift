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

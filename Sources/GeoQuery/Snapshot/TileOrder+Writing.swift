import GeoIndex

extension TileOrder {
  /// Writes the sections.
  ///
  /// - Parameters:
  ///   - keys: The keys of the cells by position, 64 bits each.
  ///   - categories: The numbers of the categories by position, 32 bits each.
  ///   - file: The file.
  /// - Throws: `SnapshotError` if it cannot be written.
  /// - Complexity: O(n); 36 bytes a restaurant while it works.
  static func write(
    keys: Spool,
    categories: Spool,
    to file: inout SectionFileWriter
  ) throws(SnapshotError) {
    let (ordered, positions) = sorted(try keys.allBytes())
    try append(ordered, as: "tile.k", to: &file)
    try append(positions, as: "tile.o", to: &file)
    let codes = try categories.allBytes()
    let inOrder = codes.withUnsafeBytes { codes in
      positions.map { codes.loadUnaligned(fromByteOffset: Int($0) * 4, as: UInt32.self) }
    }
    try append(inOrder, as: "tile.c", to: &file)
    try append(sums(of: ordered), as: "tile.s", to: &file)
  }

  private static func append<Number>(
    _ numbers: [Number],
    as name: String,
    to file: inout SectionFileWriter
  ) throws(SnapshotError) {
    try file.beginSection(name)
    let result = numbers.withUnsafeBytes { bytes in
      Result { () throws(SnapshotError) in try file.append(bytes) }
    }
    try result.get()
  }

  /// The sorted keys with their positions; positions with the same key ascend.
  ///
  /// A radix sort, 12 bits at a time.
  private static func sorted(_ bytes: [UInt8]) -> (keys: [UInt64], positions: [UInt32]) {
    let count = bytes.count / 8
    var keys = bytes.withUnsafeBytes { bytes in
      (0..<count).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
    }
    var positions = (0..<UInt32(count)).map(\.self)
    var otherKeys = [UInt64](repeating: 0, count: count)
    var otherPositions = [UInt32](repeating: 0, count: count)
    for shift in stride(from: UInt64(0), to: UInt64(WebMercator.depth * 2), by: 12) {
      var starts = [Int](repeating: 0, count: 1 << 12)
      for key in keys { starts[Int(key >> shift & 0xFFF)] += 1 }
      if starts.contains(count) { continue }
      var start = 0
      for digit in starts.indices {
        let length = starts[digit]
        starts[digit] = start
        start += length
      }
      for place in 0..<count {
        let digit = Int(keys[place] >> shift & 0xFFF)
        otherKeys[starts[digit]] = keys[place]
        otherPositions[starts[digit]] = positions[place]
        starts[digit] += 1
      }
      swap(&keys, &otherKeys)
      swap(&positions, &otherPositions)
    }
    return (keys, positions)
  }

  /// The sums of all places before each block of 64, and at the end if the last block is whole.
  private static func sums(of keys: [UInt64]) -> [UInt64] {
    var sums: [UInt64] = []
    var (columns, rows): (UInt64, UInt64) = (0, 0)
    for (place, key) in keys.enumerated() {
      if place % 64 == 0 { sums += [columns, rows] }
      columns &+= WebMercator.column(of: key)
      rows &+= WebMercator.row(of: key)
    }
    return keys.count % 64 == 0 ? sums + [columns, rows] : sums
  }
}

import GeoIndex

/// The order by name: by the first 256 bytes of the folded name (fewer if they would end inside a
/// character), then by position, which is by id.
///
/// Sections: `name.o` (the positions in their order) and `name.r` (by position the first place in
/// `name.o` with the same key), 32 bits each.
struct NameOrder: Sendable {
  /// At most this many bytes of a folded name are compared.
  static let keyLength = 256

  /// The bytes of a folded name that are compared: whole characters, so that a cursor can contain
  /// them as text.
  static func key(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard name.count > keyLength else { return name }
    let isContinuation = { (offset: Int) in name[offset] & 0xC0 == 0x80 }
    let end = (keyLength - 3...keyLength).last { !isContinuation($0) } ?? keyLength
    return UnsafeRawBufferPointer(rebasing: name[..<end])
  }

  private let order: MappedSection
  private let ranks: MappedSection
  private let names: TextTable

  /// A snapshot's order; nil if its sections are not of `count` restaurants.
  init?(of file: SectionFile, names: TextTable) {
    guard let order = file.section("name.o"), order.bytes.count == names.count * 4,
      let ranks = file.section("name.r"), ranks.bytes.count == names.count * 4
    else { return nil }
    self.order = order
    self.ranks = ranks
    self.names = names
  }

  /// The key of the restaurant at a position.
  func bytes(at position: Int) -> [UInt8] { names.whileMapped { Array(key(at: position)) } }

  private func key(at position: Int) -> UnsafeRawBufferPointer { Self.key(of: names[position]) }

  /// A number by which names at positions compare as their keys do.
  @inline(__always)
  func rank(at position: Int) -> UInt32 {
    ranks.bytes.loadUnaligned(fromByteOffset: position &* 4, as: UInt32.self)
  }

  /// The rank that a key has or would have, and whether a restaurant has it.
  ///
  /// - Complexity: O(log n).
  func rank(of key: [UInt8]) -> (rank: UInt32, isThere: Bool) {
    names.whileMapped {
      var (low, high) = (0, names.count)
      while low < high {
        let middle = (low + high) / 2
        if self.key(at: position(atPlace: middle)).lexicographicallyPrecedes(key) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      let isThere = low < names.count && self.key(at: position(atPlace: low)).elementsEqual(key)
      return (UInt32(low), isThere)
    }
  }

  private func position(atPlace place: Int) -> Int {
    let position = order.bytes.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self)
    // a damaged file may contain any number
    return min(Int(position), names.count - 1)
  }

  /// The positions in their order.
  var positions: LazyMapSequence<Range<Int>, Int> {
    (0..<names.count).lazy.map { position(atPlace: $0) }
  }

  /// The fault of the order; nil if there is none.
  func fault() -> String? {
    names.whileMapped {
      for place in 0..<max(0, names.count - 1) {
        let (one, other) = (position(atPlace: place), position(atPlace: place + 1))
        let (left, right) = (key(at: one), key(at: other))
        let isSame = left.elementsEqual(right)
        guard left.lexicographicallyPrecedes(right) || (isSame && one < other),
          isSame ? rank(at: one) == rank(at: other) : rank(at: other) == UInt32(place + 1)
        else { return "the order by name is wrong from position \(place) on" }
      }
      return names.count > 0 && rank(at: position(atPlace: 0)) != 0
        ? "the order by name does not begin at 0" : nil
    }
  }

  /// Writes the sections.
  ///
  /// - Parameters:
  ///   - names: The folded names.
  ///   - positions: All positions, in whatever order: the closer to the right one, the faster.
  ///   - file: Where to.
  /// - Throws: `SnapshotError` if it cannot be written.
  /// - Complexity: O(n log n); while it works, 52 bytes per restaurant and the names.
  static func write(
    _ names: TextTableBuilder,
    at positions: some Sequence<UInt32>,
    to file: inout SectionFileWriter
  ) throws(SnapshotError) {
    let texts = try names.texts.allBytes()
    let ends = try names.ends.allBytes()
    let count = ends.count / 8
    var places: [Place] = []
    var ranks = [UInt32](repeating: 0, count: count)
    texts.withUnsafeBytes { texts in
      ends.withUnsafeBytes { ends in
        nonisolated(unsafe) let (texts, ends) = (texts, ends)
        let end = { @Sendable (number: Int) in
          Int(ends.loadUnaligned(fromByteOffset: number * 8, as: UInt64.self) & ~TextTable.absent)
        }
        let key = { @Sendable (number: UInt32) in
          let start = number == 0 ? 0 : end(Int(number) - 1)
          let name = UnsafeRawBufferPointer(rebasing: texts[start..<end(Int(number))])
          return Self.key(of: name)
        }
        let found = positions.map { Place(prefix: prefix(of: key($0)), position: $0) }
        let precedes = { @Sendable (left: Place, right: Place) in
          if left.prefix != right.prefix { return left.prefix < right.prefix }
          let difference = compare(key(left.position), key(right.position))
          return difference != 0 ? difference < 0 : left.position < right.position
        }
        let parts = Parallel.mapParts(of: found.indices, threads: Parallel.coreCount) { part in
          found[part].sorted(by: precedes)
        }
        places = parts.flatMap { $0 }
        // only merges the sorted parts
        places.sort(by: precedes)
        var rank = 0
        for number in places.indices.dropFirst() {
          let (place, before) = (places[number], places[number - 1])
          if place.prefix != before.prefix
            || compare(key(place.position), key(before.position)) != 0
          {
            rank = number
          }
          ranks[Int(place.position)] = UInt32(rank)
        }
      }
    }
    let order = places.map(\.position)
    try file.beginSection("name.o")
    try file.append(order.withUnsafeBytes { Array($0) })
    try file.beginSection("name.r")
    try file.append(ranks.withUnsafeBytes { Array($0) })
  }

  /// A position in the order, with the beginning of its name: most names differ there.
  private struct Place {
    let prefix: UInt64
    let position: UInt32
  }

  /// The first eight bytes as a number, zeros after a shorter text.
  private static func prefix(of text: UnsafeRawBufferPointer) -> UInt64 {
    if text.count >= 8 { return UInt64(bigEndian: text.loadUnaligned(as: UInt64.self)) }
    return (0..<8).reduce(0) { $0 << 8 | ($1 < text.count ? UInt64(text[$1]) : 0) }
  }
}

import GeoIndex

/// The order of texts by the part that is compared for names (`NameOrder.key`).
protocol TextOrder {
  /// The rank of the text at a position; nil if there is none.
  func rank(at position: Int) -> UInt32?

  /// The compared part of the text at a position; nil if there is none.
  func text(at position: Int) -> [UInt8]?

  /// The rank that a compared part has or would have, and whether a restaurant has it.
  func rank(of text: [UInt8]) -> (rank: UInt32, isThere: Bool)
}

/// The order by name: by the first 256 bytes of the folded name (fewer if they would end inside a
/// character), then by position, which is by id.
///
/// Sections: `name.o` (the positions in their order) and `name.r` (by position the first place in
/// `name.o` with the same key), 32 bits each.
struct NameOrder: TextOrder, Sendable {
  /// At most this many bytes of a folded name are compared.
  static let keyLength = 256

  /// The bytes of a folded name that are compared: whole characters, so that a cursor can have
  /// them.
  static func key(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard name.count > keyLength else { return name }
    let isContinuation = { (offset: Int) in name[offset] & 0xC0 == 0x80 }
    let end = (keyLength - 3...keyLength).last { !isContinuation($0) } ?? keyLength
    return UnsafeRawBufferPointer(rebasing: name[..<end])
  }

  private let order: NumberColumn<UInt32>
  private let ranks: NumberColumn<UInt32>
  private let names: TextTable

  /// A snapshot's order; nil if its sections are not of `count` restaurants.
  init?(of file: SectionFile, names: TextTable) {
    guard let order = NumberColumn<UInt32>("name.o", of: file, count: names.count),
      let ranks = NumberColumn<UInt32>("name.r", of: file, count: names.count)
    else { return nil }
    self.order = order
    self.ranks = ranks
    self.names = names
  }

  func text(at position: Int) -> [UInt8]? { names.whileMapped { Array(key(at: position)) } }

  private func key(at position: Int) -> UnsafeRawBufferPointer { Self.key(of: names[position]) }

  func rank(at position: Int) -> UInt32? { ranks[position] }

  /// - Complexity: O(log n).
  func rank(of key: [UInt8]) -> (rank: UInt32, isThere: Bool) {
    names.whileMapped {
      let positions = positions
      let rank = positions.partitionPoint { !self.key(at: $0).lexicographicallyPrecedes(key) }
      let isThere = rank < names.count && self.key(at: positions[rank]).elementsEqual(key)
      return (UInt32(rank), isThere)
    }
  }

  /// The positions in their order.
  var positions: LazyMapSequence<Range<Int>, Int> {
    // a damaged file may contain any number
    (0..<names.count).lazy.map { min(Int(order[$0]), names.count - 1) }
  }

  func fault() -> String? {
    names.whileMapped {
      let positions = positions
      for place in 0..<max(0, names.count - 1) {
        let (one, other) = (positions[place], positions[place + 1])
        let (left, right) = (key(at: one), key(at: other))
        let isSame = left.elementsEqual(right)
        guard left.lexicographicallyPrecedes(right) || (isSame && one < other),
          isSame ? ranks[one] == ranks[other] : ranks[other] == UInt32(place + 1)
        else { return "the order by name is wrong from position \(place) on" }
      }
      return names.count > 0 && ranks[positions[0]] != 0
        ? "the order by name does not begin at 0" : nil
    }
  }

  /// Writes the sections; the closer the positions are to their order, the faster.
  ///
  /// - Complexity: O(n log n); 32 bytes per restaurant while it works.
  static func write(
    _ names: TextTableBuilder,
    at positions: some Sequence<UInt32>,
    to file: inout SectionFileWriter
  ) throws(SnapshotError) {
    let (order, ranks) = try names.texts.withBytes { (texts) throws(SnapshotError) in
      try names.ends.withBytes { (ends) throws(SnapshotError) in
        sorted(positions, texts, ends.bindMemory(to: UInt64.self))
      }
    }
    try file.write(order, as: "name.o")
    try file.write(ranks, as: "name.r")
  }

  /// The positions in their order, and their ranks by position.
  private static func sorted(
    _ positions: some Sequence<UInt32>,
    _ texts: UnsafeRawBufferPointer,
    _ ends: UnsafeBufferPointer<UInt64>
  ) -> (order: [UInt32], ranks: [UInt32]) {
    nonisolated(unsafe) let (texts, ends) = (texts, ends)
    let key = { @Sendable (number: UInt32) in
      let start = number == 0 ? 0 : ends[Int(number) - 1] & ~TextTable.absent
      let end = ends[Int(number)] & ~TextTable.absent
      return Self.key(of: UnsafeRawBufferPointer(rebasing: texts[Int(start)..<Int(end)]))
    }
    var places = positions.map { Place(prefix: prefix(of: key($0)), position: $0) }
    // below 0 if the first name comes first, 0 if both are the same
    let difference = { @Sendable (left: Place, right: Place) in
      left.prefix != right.prefix
        ? (left.prefix < right.prefix ? -1 : 1) : compare(key(left.position), key(right.position))
    }
    let precedes = { @Sendable (left: Place, right: Place) in
      let difference = difference(left, right)
      return difference != 0 ? difference < 0 : left.position < right.position
    }
    places.withUnsafeMutableBufferPointer { places in
      nonisolated(unsafe) let places = places
      Parallel.mapParts(of: places.indices, threads: Parallel.coreCount) { part in
        places[part].sort(by: precedes)
      }
    }
    // only merges the sorted parts
    places.sort(by: precedes)
    var ranks = [UInt32](repeating: 0, count: places.count)
    var rank = 0
    for number in places.indices.dropFirst() {
      if difference(places[number - 1], places[number]) != 0 { rank = number }
      ranks[Int(places[number].position)] = UInt32(rank)
    }
    return (places.map(\.position), ranks)
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

import TestSupport

@testable import GeoIndex

/// The bytes of a section file in memory, to be damaged.
struct SectionFileBytes {
  var bytes: [UInt8]
  let coordinates: [Coordinate]

  /// Where the tree's sections are.
  let layout: TreeLayout

  /// Where all sections are.
  let sections: [Range<Int>]

  /// - Parameters:
  ///   - coordinates: the points of the tree.
  ///   - folder: where the file is written.
  ///   - further: the lengths of sections after the tree's; they are named `more0` and so on.
  /// - Throws: if the file cannot be written.
  init(
    of coordinates: [Coordinate],
    in folder: TemporaryFolder,
    further: [Int] = []
  ) throws {
    let path = folder.file("whole.geoqx")
    var writer = try SectionFileWriter(for: path)
    try writer.write(KDTree(coordinates))
    for (index, length) in further.enumerated() {
      try writer.beginSection("more\(index)")
      try writer.append((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index &+ 1) })
    }
    try writer.finish(storeID: 0xA5A5_0000_1234_5678, generation: 17)
    bytes = try TemporaryFolder.read(path)
    self.coordinates = coordinates
    layout = TreeLayout(TreeShape(pointCount: coordinates.count))
    sections = try SectionFileHeader(Array(bytes.prefix(4_096)), of: path).sections.map(\.range)
  }

  /// Puts the right checksums in, of sections and header.
  mutating func sign() {
    for (index, section) in sections.enumerated() {
      put(bytes[section].withUnsafeBytes { Checksum.of($0) }, at: 64 + 32 * index + 24)
    }
    signHeader()
  }

  mutating func signHeader() {
    put(bytes[..<4_088].withUnsafeBytes { Checksum.of($0) }, at: 4_088)
  }

  mutating func put(_ number: some FixedWidthInteger, at offset: Int) {
    withUnsafeBytes(of: number.littleEndian) { source in
      bytes.replaceSubrange(offset..<offset + source.count, with: source)
    }
  }

  /// A tree over a copy in memory, whose ends the address sanitizer watches.
  ///
  /// What ``SectionFile`` refuses at opening is nil here as well.
  func treeInMemory() -> KDTree? {
    let storage = TreeStorage(byteCount: layout.byteCount)
    bytes.prefix(layout.byteCount).withUnsafeBytes {
      UnsafeMutableRawBufferPointer(start: storage.base, count: $0.count).copyMemory(from: $0)
    }
    let tree = KDTree(storage, TreeShape(pointCount: coordinates.count))
    return tree.faultOfRoot == nil ? tree : nil
  }
}

/// Damage to a section file, chosen at random.
enum Damage: CaseIterable {
  case bit
  case byte
  case zeros
  case ones
  case noise
  case move
  case float
  case double
  case position

  /// Damages some bytes of a range; not always so that they differ.
  func apply(to file: inout SectionFileBytes, in range: Range<Int>, using random: inout SplitMix64)
  {
    let place = range.lowerBound + random.int(below: range.count)
    let length = min(range.upperBound - place, 1 + random.int(below: 1 << random.int(below: 13)))
    let extent = place..<place + length
    switch self {
    case .bit: file.bytes[place] ^= 1 << UInt8(random.int(below: 8))
    case .byte: file.bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case .zeros: file.bytes.replaceSubrange(extent, with: repeatElement(0, count: length))
    case .ones: file.bytes.replaceSubrange(extent, with: repeatElement(0xFF, count: length))
    case .noise:
      for index in extent {
        file.bytes[index] = UInt8(truncatingIfNeeded: random.next())
      }
    case .move:
      let source = range.lowerBound + random.int(below: range.count - length + 1)
      file.bytes.replaceSubrange(extent, with: Array(file.bytes[source..<source + length]))
    case .float:
      for _ in 0...random.int(below: 8) {
        let value = Self.floats[random.int(below: Self.floats.count)]
        file.put(value.bitPattern, at: aligned(4, range, &random))
      }
    case .double:
      for _ in 0...random.int(below: 8) {
        let value = Self.doubles[random.int(below: Self.doubles.count)]
        file.put(value.bitPattern, at: aligned(8, range, &random))
      }
    case .position:
      let values: [UInt32] = [.max, .max / 2, UInt32(file.coordinates.count), 0]
      file.put(values[random.int(below: values.count)], at: aligned(4, range, &random))
    }
  }

  private func aligned(_ size: Int, _ range: Range<Int>, _ random: inout SplitMix64) -> Int {
    range.lowerBound + random.int(below: range.count / size) * size
  }

  /// Numbers that break things, with either sign.
  private static let floats: [Float] = [
    .nan, .signalingNaN, .infinity, .greatestFiniteMagnitude, 1e20, 6.4e6, 0,
    .leastNonzeroMagnitude,
  ].flatMap { [$0, -$0] }

  private static let doubles: [Double] = [
    .nan, .signalingNaN, .infinity, .greatestFiniteMagnitude, 1e160, 6.4e6, 90, 0,
    .leastNonzeroMagnitude,
  ].flatMap { [$0, -$0] }
}

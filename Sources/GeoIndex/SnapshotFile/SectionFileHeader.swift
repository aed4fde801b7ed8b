/// The first 4 096 bytes of a section file; with ``TreeLayout``, the format's specification.
///
/// All numbers are little-endian, unsigned integers and IEEE 754 floats.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | magic: `GEOQX`, carriage return, line feed, 0x1A |
/// | 8 | 4 | byte order: 0x01020304, so that the bytes are 4, 3, 2, 1 |
/// | 12 | 4 | version of the format: 3 |
/// | 16 | 4 | length of the header: 4 096 |
/// | 20 | 4 | number of sections: 3...120 |
/// | 24 | 8 | length of the file |
/// | 32 | 8 | number of points |
/// | 40 | 8 | store id: which database the points are from |
/// | 48 | 8 | generation of that database |
/// | 56 | 8 | zero |
/// | 64 | 32 each | section table: one entry a section; zeros up to offset 3 904 |
/// | 3 904 | 184 | zeros |
/// | 4 088 | 8 | checksum of the bytes 0..<4088 |
///
/// An entry of the section table:
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | name: 1 to 8 visible ASCII characters, then zeros; no two sections have the same |
/// | 8 | 8 | offset of the first byte in the file |
/// | 16 | 8 | length, which may be zero |
/// | 24 | 8 | checksum of the bytes |
///
/// Each section starts at the first multiple of 4 096 that is not before the end of the one before it,
/// the first at 4 096. The bytes between sections are zero. The last section ends the file. The first
/// three are the tree's: `nodes`, `leaves` and `coords`, with the contents that ``TreeLayout`` says; their
/// lengths follow from the number of points (``TreeShape``). Any sections may follow; readers ignore
/// those that they do not know. A header that breaks one of these rules is refused. Checksums are XXH64
/// with seed 0 (``Checksum``).
struct SectionFileHeader: Equatable {
  let pointCount: Int
  let storeID: UInt64
  let generation: UInt64
  let sections: [Section]

  /// A section of the file.
  struct Section: Equatable {
    let name: String
    var range: Range<Int>
    var checksum: UInt64
  }

  static let byteCount = TreeLayout.alignment

  /// The sections of the tree, in the order of the file.
  static let treeNames = ["nodes", "leaves", "coords"]

  /// The greatest number of sections that fit into the header.
  static let sectionCapacity = 120

  private static let magic: [UInt8] = Array("GEOQX\r\n".utf8) + [0x1A]
  private static let byteOrder: UInt32 = 0x0102_0304
  private static let version: UInt32 = 3

  /// Where the section table starts, and the bytes of an entry.
  private static let tableOffset = 64
  private static let entryByteCount = 32

  private static let checksumOffset = byteCount - 8

  /// The greatest length of a section; the sum of all cannot overflow.
  private static let maximumLength = UInt64(1) << 48

  var treeLayout: TreeLayout { TreeLayout(TreeShape(pointCount: pointCount)) }

  /// The checksums of the tree's sections.
  var treeChecksums: [UInt64] { sections.prefix(Self.treeNames.count).map(\.checksum) }

  /// The length of the whole file.
  var fileByteCount: Int { sections.last?.range.upperBound ?? Self.byteCount }

  /// Whether a section may have a name: 1 to 8 visible ASCII characters.
  static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...8).contains(name.count) && name.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// The header as the file has it.
  var bytes: [UInt8] {
    var bytes = Self.magic
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(Self.byteOrder)
    append(Self.version)
    append(UInt32(Self.byteCount))
    append(UInt32(sections.count))
    append(UInt64(fileByteCount))
    append(UInt64(pointCount))
    append(storeID)
    append(generation)
    append(UInt64(0))
    for section in sections {
      bytes += section.name.utf8
      bytes += [UInt8](repeating: 0, count: 8 - section.name.utf8.count)
      append(UInt64(section.range.lowerBound))
      append(UInt64(section.range.count))
      append(section.checksum)
    }
    bytes += [UInt8](repeating: 0, count: Self.checksumOffset - bytes.count)
    append(bytes.withUnsafeBytes { Checksum.of($0) })
    return bytes
  }
}

extension SectionFileHeader {
  /// Reads a header and checks every bit of it.
  ///
  /// - Parameters:
  ///   - bytes: the first `byteCount` bytes of a file, or all of a shorter file.
  ///   - path: the path of the file, for the error.
  /// - Throws: the first fault.
  init(_ bytes: [UInt8], of path: String) throws(SnapshotError) {
    func check(_ isSound: Bool, _ fault: @autoclosure () -> String) throws(SnapshotError) {
      if !isSound { throw .unusable(path, because: fault()) }
    }
    // a truncated file is reported as such, anything else as foreign
    try check(
      bytes.starts(with: Self.magic) || Self.magic.starts(with: bytes),
      "it is not a geoq snapshot"
    )
    try check(!bytes.isEmpty, "it is empty")
    try check(
      bytes.count == Self.byteCount,
      "it is \(bytes.count) bytes long, less than its header"
    )
    let order: UInt32 = Self.number(bytes, 8)
    try check(order != Self.byteOrder.byteSwapped, "it has the other byte order")
    try check(order == Self.byteOrder, "its byte order mark is damaged")
    let version: UInt32 = Self.number(bytes, 12)
    try check(
      version == Self.version,
      "its format has version \(version), and this geoq reads \(Self.version)"
    )
    try check(
      Self.number(bytes, Self.checksumOffset)
        == bytes.withUnsafeBytes { Checksum.of(.init(rebasing: $0.dropLast(8))) },
      "the checksum of its header does not match"
    )
    let points: UInt64 = Self.number(bytes, 32)
    try check(
      points <= UInt64(TreeShape.maximumPointCount),
      "its header says \(points) points, more than a tree can hold"
    )
    let count: UInt32 = Self.number(bytes, 20)
    try check(
      (Self.treeNames.count...Self.sectionCapacity).contains(Int(count)),
      "its header says \(count) sections"
    )
    var sections: [Section] = []
    for index in 0..<Int(count) {
      let offset = Self.tableOffset + index * Self.entryByteCount
      let nameBytes = bytes[offset..<offset + 8].prefix { $0 != 0 }
      try check(Self.isName(nameBytes), "its section \(index) has no valid name")
      let name = String(decoding: nameBytes, as: UTF8.self)
      try check(!sections.contains { $0.name == name }, "it has two sections \(name)")
      let length: UInt64 = Self.number(bytes, offset + 16)
      try check(length <= Self.maximumLength, "its section \(name) says \(length) bytes")
      let start = TreeLayout.start(after: sections.last?.range.upperBound ?? Self.byteCount)
      let checksum: UInt64 = Self.number(bytes, offset + 24)
      sections.append(
        Section(name: name, range: start..<start + Int(length), checksum: checksum)
      )
    }
    self.init(
      pointCount: Int(points),
      storeID: Self.number(bytes, 40),
      generation: Self.number(bytes, 48),
      sections: sections
    )
    for (index, (name, range)) in zip(Self.treeNames, treeLayout.sections).enumerated() {
      try check(
        sections[index].name == name,
        "its section \(index) is \(sections[index].name) and should be \(name)"
      )
      try check(
        sections[index].range.count == range.count,
        "its section \(name) is not \(range.count) bytes long, as \(points) points need"
      )
    }
    // all other bytes follow from these values
    if let offset = zip(self.bytes, bytes).enumerated().first(where: { $1.0 != $1.1 })?.offset {
      throw .unusable(path, because: "byte \(offset) of its header does not fit the rest")
    }
  }

  /// The number at an offset.
  static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], _ offset: Int) -> Number {
    let stored = bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: offset, as: Number.self)
    }
    return Number(littleEndian: stored)
  }
}

/// The first 4 096 bytes of a section file; with ``TreeLayout``, the format's specification.
///
/// All numbers are little-endian, unsigned integers and IEEE 754 floats.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | magic: `GEOQX`, carriage return, line feed, 0x1A |
/// | 8 | 4 | byte order: 0x01020304, so that the bytes are 4, 3, 2, 1 |
/// | 12 | 4 | version of the format: 2 |
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
  static let byteCount = TreeLayout.alignment

  static let version: UInt32 = 2

  /// Where the section table starts.
  static let tableOffset = 64

  let pointCount: Int
  let storeID: UInt64
  let generation: UInt64
  let sections: SectionTable

  private static let magic: [UInt8] = Array("GEOQX\r\n".utf8) + [0x1A]
  private static let byteOrder: UInt32 = 0x0102_0304
  private static let checksumOffset = byteCount - 8

  init(pointCount: Int, storeID: UInt64, generation: UInt64, sections: SectionTable) {
    self.pointCount = pointCount
    self.storeID = storeID
    self.generation = generation
    self.sections = sections
  }

  var treeLayout: TreeLayout { TreeLayout(TreeShape(pointCount: pointCount)) }

  /// The length of the whole file.
  var fileByteCount: Int { sections.end }

  /// The header as the file has it.
  var bytes: [UInt8] {
    var bytes = Self.magic
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(Self.byteOrder)
    append(Self.version)
    append(UInt32(Self.byteCount))
    append(UInt32(sections.entries.count))
    append(UInt64(fileByteCount))
    append(UInt64(pointCount))
    append(storeID)
    append(generation)
    append(UInt64(0))
    for entry in sections.entries {
      bytes += entry.name.utf8
      bytes += [UInt8](repeating: 0, count: 8 - entry.name.utf8.count)
      append(UInt64(entry.range.lowerBound))
      append(UInt64(entry.range.count))
      append(entry.checksum)
    }
    bytes += [UInt8](repeating: 0, count: Self.checksumOffset - bytes.count)
    append(bytes.withUnsafeBytes { Checksum.of($0) })
    return bytes
  }
}

extension SectionFileHeader {
  /// A fault of a header.
  struct Fault: Error {
    let reason: String
  }

  /// Reads a header and checks every bit of it.
  ///
  /// - Parameter bytes: the first `byteCount` bytes of a file, or all of a shorter file.
  /// - Throws: the first fault.
  init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.starts(with: Self.magic) else {
      // a truncated file is reported as such, anything else as foreign
      let isCut = Self.magic.starts(with: bytes)
      throw Fault(reason: isCut ? Self.tooShort(bytes.count) : "it is not a geoq snapshot")
    }
    guard bytes.count == Self.byteCount else {
      throw Fault(reason: Self.tooShort(bytes.count))
    }
    let order: UInt32 = Self.number(bytes, 8)
    guard order == Self.byteOrder else {
      throw Fault(
        reason: order == Self.byteOrder.byteSwapped
          ? "it has the other byte order" : "its byte order mark is damaged"
      )
    }
    let version: UInt32 = Self.number(bytes, 12)
    guard version == Self.version else {
      throw Fault(reason: "its format has version \(version), and this geoq reads \(Self.version)")
    }
    let checksum: UInt64 = Self.number(bytes, Self.checksumOffset)
    guard checksum == bytes.withUnsafeBytes({ Checksum.of(.init(rebasing: $0.dropLast(8))) }) else {
      throw Fault(reason: "the checksum of its header does not match")
    }
    let count: UInt64 = Self.number(bytes, 32)
    guard count <= UInt64(TreeShape.greatestPointCount) else {
      throw Fault(reason: "its header says \(count) points, more than a tree can hold")
    }
    let layout = TreeLayout(TreeShape(pointCount: Int(count)))
    self.init(
      pointCount: Int(count),
      storeID: Self.number(bytes, 40),
      generation: Self.number(bytes, 48),
      sections: try SectionTable(bytes, count: Self.number(bytes, 20), layout: layout)
    )
    // all other bytes follow from these values
    if let offset = zip(self.bytes, bytes).enumerated().first(where: { $1.0 != $1.1 })?.offset {
      throw Fault(reason: "byte \(offset) of its header does not fit the rest")
    }
  }

  static func tooShort(_ length: Int) -> String {
    length == 0 ? "it is empty" : "it is \(length) bytes long, less than its header"
  }

  /// The number at an offset.
  static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], _ offset: Int) -> Number {
    let stored = bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: offset, as: Number.self)
    }
    return Number(littleEndian: stored)
  }
}

/// The sections of a file: names, places and checksums.
///
/// The tree's three come first. Each section starts at the first multiple of 4 096 after the one
/// before it, so the lengths determine all offsets.
struct SectionTable: Equatable {
  /// A section.
  struct Entry: Equatable {
    let name: String
    let range: Range<Int>
    let checksum: UInt64
  }

  /// The sections of the tree, in the order of the file.
  static let treeNames = ["nodes", "leaves", "coords"]

  /// The greatest number of sections that fit into the header.
  static let capacity = 120

  /// The bytes of an entry.
  static let stride = 32

  /// The greatest length of a section; the sum of all cannot overflow.
  static let greatestLength = UInt64(1) << 48

  let entries: [Entry]

  /// The offset where a section after `end` bytes starts.
  static func start(after end: Int) -> Int {
    (end + TreeLayout.alignment - 1) / TreeLayout.alignment * TreeLayout.alignment
  }

  /// Whether a name is valid: 1 to 8 visible ASCII characters.
  static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...8).contains(name.count) && name.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// The range of a section; nil if there is none with this name.
  func range(of name: String) -> Range<Int>? { entries.first { $0.name == name }?.range }

  /// The end of the last section, which ends the file.
  var end: Int { entries.last?.range.upperBound ?? TreeLayout.alignment }

  /// The checksums of the tree's sections.
  var treeChecksums: [UInt64] { entries.prefix(Self.treeNames.count).map(\.checksum) }
}

extension SectionTable {
  /// Reads the table of a header whose checksum is right.
  ///
  /// Only names, lengths and checksums are read: the rest follows from them, and the caller compares.
  ///
  /// - Throws: the first fault.
  init(_ header: [UInt8], count: UInt32, layout: TreeLayout) throws(SectionFileHeader.Fault) {
    guard (Self.treeNames.count...Self.capacity).contains(Int(count)) else {
      throw SectionFileHeader.Fault(reason: "its header says \(count) sections")
    }
    var entries: [Entry] = []
    var end = TreeLayout.alignment
    for index in 0..<Int(count) {
      let offset = SectionFileHeader.tableOffset + index * Self.stride
      let name = header[offset..<offset + 8].prefix { $0 != 0 }
      guard Self.isName(name) else {
        throw SectionFileHeader.Fault(reason: "its section \(index) has no valid name")
      }
      let text = String(decoding: name, as: UTF8.self)
      guard !entries.contains(where: { $0.name == text }) else {
        throw SectionFileHeader.Fault(reason: "it has two sections \(text)")
      }
      let length: UInt64 = SectionFileHeader.number(header, offset + 16)
      guard length <= Self.greatestLength else {
        throw SectionFileHeader.Fault(reason: "its section \(text) says \(length) bytes")
      }
      let start = Self.start(after: end)
      end = start + Int(length)
      let checksum: UInt64 = SectionFileHeader.number(header, offset + 24)
      entries.append(Entry(name: text, range: start..<end, checksum: checksum))
    }
    self.entries = entries
    try checkTree(layout)
  }

  /// Throws unless the first sections are the tree's, in order, as long as the number of points says.
  private func checkTree(_ layout: TreeLayout) throws(SectionFileHeader.Fault) {
    for (index, name) in Self.treeNames.enumerated() {
      guard entries[index].name == name else {
        throw SectionFileHeader.Fault(
          reason: "its section \(index) is \(entries[index].name) and should be \(name)"
        )
      }
      let length = layout.sections[index].count
      guard entries[index].range.count == length else {
        let points = layout.coordinates.count / TreeLayout.coordinateStride
        throw SectionFileHeader.Fault(
          reason: "its section \(name) is not \(length) bytes long, as \(points) points need"
        )
      }
    }
  }
}

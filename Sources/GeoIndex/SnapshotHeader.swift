/// The first 4 096 bytes of a snapshot file, and with ``TreeLayout`` the whole of its format.
///
/// All numbers are little-endian, unsigned integers and IEEE 754 floats.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | magic: `GEOQX`, carriage return, line feed, 0x1A |
/// | 8 | 4 | byte order: 0x01020304, so that the bytes are 4, 3, 2, 1 |
/// | 12 | 4 | version of the format: 1 |
/// | 16 | 4 | length of the header: 4 096 |
/// | 20 | 4 | number of sections: 3 |
/// | 24 | 8 | length of the file |
/// | 32 | 8 | number of points |
/// | 40 | 8 | store id: which database the points are from |
/// | 48 | 8 | generation: which state of that database |
/// | 56 | 8 | zero |
/// | 64 | 96 | section table: three entries of 32 bytes |
/// | 160 | 3 928 | zeros |
/// | 4 088 | 8 | checksum of the bytes 0..<4088 |
///
/// An entry of the section table holds the section's name (8 bytes of ASCII, padded with zeros:
/// `nodes`, `leaves`, `coords`), its offset, its length and its checksum, 8 bytes each. The sections
/// come in that order, each from the next multiple of 4 096 on, with zeros before it; the last one
/// ends the file. What they hold is told by ``TreeLayout``, how many nodes and leaves there are by
/// ``TreeShape``: offsets and lengths follow from the number of points, and a table that says
/// otherwise is refused. Checksums are XXH64 with seed 0, see ``Checksum``.
///
/// Of two files over the same coordinates only store id, generation and the checksum of the header
/// differ.
struct SnapshotHeader: Equatable {
  static let byteCount = TreeLayout.alignment

  static let version: UInt32 = 1

  let pointCount: Int
  let storeID: UInt64
  let generation: UInt64

  /// The checksums of the sections, in the order of the file.
  let checksums: [UInt64]

  private static let magic: [UInt8] = Array("GEOQX\r\n".utf8) + [0x1A]
  private static let byteOrder: UInt32 = 0x0102_0304
  static let sectionNames = ["nodes", "leaves", "coords"]
  private static let checksumOffset = byteCount - 8

  init(pointCount: Int, storeID: UInt64, generation: UInt64, checksums: [UInt64]) {
    self.pointCount = pointCount
    self.storeID = storeID
    self.generation = generation
    self.checksums = checksums
  }

  var layout: TreeLayout { TreeLayout(TreeShape(pointCount: pointCount)) }

  /// The header as it stands in the file.
  var bytes: [UInt8] {
    var bytes = Self.magic
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(Self.byteOrder)
    append(Self.version)
    append(UInt32(Self.byteCount))
    append(UInt32(Self.sectionNames.count))
    append(UInt64(layout.byteCount))
    append(UInt64(pointCount))
    append(storeID)
    append(generation)
    append(UInt64(0))
    for (index, section) in layout.sections.enumerated() {
      let name = Array(Self.sectionNames[index].utf8)
      bytes += name + [UInt8](repeating: 0, count: 8 - name.count)
      append(UInt64(section.lowerBound))
      append(UInt64(section.count))
      append(checksums[index])
    }
    bytes += [UInt8](repeating: 0, count: Self.checksumOffset - bytes.count)
    append(bytes.withUnsafeBytes { Checksum.of($0) })
    return bytes
  }
}

extension SnapshotHeader {
  /// What is wrong with a header.
  struct Fault: Error {
    let reason: String
  }

  /// Reads a header; every bit of it has to be right.
  ///
  /// - Parameter bytes: the first `byteCount` bytes of a file, or all of a shorter file.
  /// - Throws: the first thing that is wrong.
  init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.starts(with: Self.magic) else {
      // a file that was cut short says so, anything else is foreign
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
    self.init(
      pointCount: Int(count),
      storeID: Self.number(bytes, 40),
      generation: Self.number(bytes, 48),
      checksums: Self.sectionNames.indices.map { Self.number(bytes, 64 + 32 * $0 + 24) }
    )
    // all else follows from what was read
    if let place = zip(self.bytes, bytes).enumerated().first(where: { $1.0 != $1.1 })?.offset {
      throw Fault(reason: "byte \(place) of its header is not what \(count) points ask for")
    }
  }

  static func tooShort(_ length: Int) -> String {
    length == 0 ? "it is empty" : "it is \(length) bytes long, less than its header"
  }

  private static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], _ offset: Int) -> Number {
    let stored = bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: offset, as: Number.self)
    }
    return Number(littleEndian: stored)
  }
}

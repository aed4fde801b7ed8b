import GeoFeed
import GeoQuery

/// Lists of 64-bit numbers that are kept in a table by the piece: a blob of 480 of them fits a page.
enum RowChunk {
  /// Numbers in a piece.
  static let size = 480

  /// The place of a piece's first number; nil for pieces that no store comes to.
  static func firstPlace(ofChunk chunk: Int64) -> Int64? {
    (0...1 << 40).contains(chunk) ? chunk * Int64(size) : nil
  }

  /// The bytes of a piece, little-endian.
  static func bytes<Number: FixedWidthInteger>(_ numbers: some Sequence<Number>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size * 8)
    for number in numbers {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// The numbers of a piece.
  static func numbers<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> [Number] {
    (0..<bytes.count / 8).map { number($0, of: bytes) }
  }

  /// One number of a piece.
  static func number<Number: FixedWidthInteger>(
    _ index: Int,
    of bytes: UnsafeRawBufferPointer
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: Number.self))
  }
}

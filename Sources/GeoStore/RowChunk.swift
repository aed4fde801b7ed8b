import GeoFeed
import GeoQuery

/// Lists of 64-bit numbers stored in a table in chunks: a blob of 480 numbers fits a page.
enum RowChunk {
  /// The numbers per chunk.
  static let size = 480

  /// The index of a chunk's first number; nil for chunk numbers that no store has.
  static func firstPlace(ofChunk chunk: Int64) -> Int64? {
    (0...1 << 40).contains(chunk) ? chunk * Int64(size) : nil
  }

  /// The bytes of a chunk, little-endian.
  static func bytes<Number: FixedWidthInteger>(_ numbers: some Sequence<Number>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size * 8)
    for number in numbers {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// The numbers of a chunk.
  static func numbers<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> [Number] {
    (0..<bytes.count / 8).map { number($0, of: bytes) }
  }

  /// One number of a chunk.
  static func number<Number: FixedWidthInteger>(
    _ index: Int,
    of bytes: UnsafeRawBufferPointer
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: Number.self))
  }
}

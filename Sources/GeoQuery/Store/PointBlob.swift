import Foundation
import GeoIndex

/// SpatiaLite's form of a 2-D point with SRID 4326: 60 bytes, little-endian.
///
/// Start 0x00, byte order 0x01, SRID, bounding box (4 doubles), 0x7C, class 1, x, y, end 0xFE: byte
/// for byte what `MakePoint(x, y, 4326)` gives (SpatiaLite's BLOB-Geometry format). The coordinate
/// keeps its bits, -0.0 included.
enum PointBlob {
  private static let count = 60
  private static let head: [UInt8] = [0x00, 0x01, 0xE6, 0x10, 0x00, 0x00]
  private static let pointClass: [UInt8] = [0x7C, 0x01, 0x00, 0x00, 0x00]
  private static let tail: UInt8 = 0xFE
  private static let xOffset = 43
  private static let yOffset = 51

  /// The blob of a coordinate.
  static func encode(_ coordinate: Coordinate) -> Data {
    let x = bytes(of: coordinate.longitude)
    let y = bytes(of: coordinate.latitude)
    return Data(head + x + y + x + y + pointClass + x + y + [tail])
  }

  /// The coordinate of a blob, or nil where it is no point in WGS84 degrees.
  static func decode(_ blob: Data) -> Coordinate? {
    let blob = [UInt8](blob)
    guard blob.count == count, blob.starts(with: head), blob[count - 1] == tail,
      blob[38..<xOffset].elementsEqual(pointClass)
    else { return nil }
    return Coordinate(
      latitude: double(in: blob, at: yOffset),
      longitude: double(in: blob, at: xOffset)
    )
  }

  private static func bytes(of value: Double) -> [UInt8] {
    withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
  }

  private static func double(in blob: [UInt8], at offset: Int) -> Double {
    let bits = blob[offset..<offset + 8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return Double(bitPattern: bits)
  }
}

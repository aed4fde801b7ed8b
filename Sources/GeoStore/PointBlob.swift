import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// SpatiaLite's form of a 2-D point with SRID 4326: 60 bytes, little-endian.
///
/// Start 0x00, byte order 0x01, SRID, bounding box (4 doubles), 0x7C, class 1, x, y, end 0xFE: the
/// same bytes as `MakePoint(x, y, 4326)` (SpatiaLite's BLOB-Geometry format). Coordinates keep
/// their bits, including -0.0.
enum PointBlob {
  private static let count = 60
  private static let head: [UInt8] = [0x00, 0x01, 0xE6, 0x10, 0x00, 0x00]
  private static let pointClass: [UInt8] = [0x7C, 0x01, 0x00, 0x00, 0x00]
  private static let tail: UInt8 = 0xFE
  private static let xOffset = 43
  private static let yOffset = 51

  /// The blob of the point 0, 0, whose position is then set.
  static let origin: [UInt8] =
    head + [UInt8](repeating: 0, count: 32) + pointClass + [UInt8](repeating: 0, count: 16) + [tail]

  /// The blob of a coordinate.
  static func encode(_ coordinate: Coordinate) -> Data {
    var blob = origin
    set(&blob, latitude: coordinate.latitude, longitude: coordinate.longitude)
    return Data(blob)
  }

  /// Sets the position in a blob.
  static func set(_ blob: inout [UInt8], latitude: Double, longitude: Double) {
    let x = longitude.bitPattern.littleEndian
    let y = latitude.bitPattern.littleEndian
    blob.withUnsafeMutableBytes { bytes in
      for offset in [6, 22, xOffset] {
        bytes.storeBytes(of: x, toByteOffset: offset, as: UInt64.self)
        bytes.storeBytes(of: y, toByteOffset: offset + 8, as: UInt64.self)
      }
    }
  }

  /// The coordinate of a blob, or nil if it is not a point in WGS84 degrees.
  static func decode(_ blob: Data) -> Coordinate? {
    blob.withUnsafeBytes(decode)
  }

  /// The coordinate of a blob's bytes, or nil if it is not a point in WGS84 degrees.
  static func decode(_ blob: UnsafeRawBufferPointer) -> Coordinate? {
    guard blob.count == count, blob.starts(with: head), blob[count - 1] == tail,
      blob[38..<xOffset].elementsEqual(pointClass)
    else { return nil }
    return Coordinate(
      latitude: double(in: blob, at: yOffset),
      longitude: double(in: blob, at: xOffset)
    )
  }

  private static func double(in blob: UnsafeRawBufferPointer, at offset: Int) -> Double {
    let bits = blob.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return Double(bitPattern: UInt64(littleEndian: bits))
  }
}

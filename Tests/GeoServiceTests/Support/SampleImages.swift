import Foundation
import Testing

@testable import GeoService

/// Images as bytes: their headers are what tests say, their pixels are not there.
enum SampleImages {
  static func png(_ width: Int = 4, _ height: Int = 3, padding: Int = 0) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + big(width, 4) + big(height, 4) + [8, 2, 0, 0, 0] + [UInt8](repeating: 7, count: padding)
  }

  static func gif(_ width: Int, _ height: Int) -> [UInt8] {
    Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0, 0, 0]
  }

  /// With an EXIF segment, a table and fill bytes before the frame.
  static func jpeg(_ width: Int, _ height: Int, marker: UInt8 = 0xC0) -> [UInt8] {
    let segment: [UInt8] = [0xFF, 0xE1] + big(6, 2) + [0xFF, 0xC0, 1, 2]
    let table: [UInt8] = [0xFF, 0xC4] + big(3, 2) + [9]
    let frame: [UInt8] = [0xFF, 0xFF, marker] + big(11, 2) + [8] + big(height, 2) + big(width, 2)
    return [0xFF, 0xD8] + segment + table + frame + [1, 0x11, 0]
  }

  static func webp(_ kind: String, _ width: Int, _ height: Int) -> [UInt8] {
    let start = Array("RIFF".utf8) + little(100, 4) + Array("WEBP".utf8) + Array(kind.utf8)
    let chunk: [UInt8] =
      switch kind {
      case "VP8X": [0, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3)
      case "VP8L": [0x2F] + little((width - 1) | (height - 1) << 14, 4)
      default: [0, 0, 0, 0x9D, 0x01, 0x2A] + little(width, 2) + little(height, 2)
      }
    return start + little(chunk.count, 4) + chunk
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    big(value, count).reversed()
  }
}

/// A folder of one test, removed with it.
final class ImageTestFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "geoq-images-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// The bytes of all files.
  var size: Int {
    names.reduce(0) { total, name in
      let facts = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
      return total + (facts?[.size] as? Int ?? 0)
    }
  }

  func write(_ bytes: [UInt8], to name: String) {
    _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(bytes))
  }

  /// Sets when a file was last used: seconds before now.
  func age(_ name: String, _ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
      ofItemAtPath: path + "/" + name
    )
  }
}

import GeoQuery
import GeoStore

/// A basemap under the restaurants: a file of tiles.
package struct Basemap: Sendable {
  private let file: any TileFile

  /// The metadata of the file.
  var info: TileFileInfo { file.info }

  /// The credit line of the file as HTML: text, and links to the web.
  let attribution: String?

  /// Opens a file of PMTiles 3 or MBTiles, recognized by its first bytes.
  ///
  /// - Throws: `TileFileError` if it cannot be used.
  package init(path: String) throws {
    let bytes = try TileFileBytes(path: path)
    let start = try bytes.start(MBTilesFile.magic.count)
    if start.starts(with: PMTilesFile.magic) {
      file = try PMTilesFile(bytes, unpack: Gzip.unpacked)
    } else if start == MBTilesFile.magic {
      file = try MBTilesFile(bytes)
    } else {
      throw TileFileError(path, because: "it is neither PMTiles nor MBTiles")
    }
    attribution = file.info.attribution.map(HTMLText.credit)
  }

  /// A tile as it is stored, and decompressed; nil if it is missing.
  ///
  /// - Throws: `TileFileError` if the file is damaged there.
  func tile(_ address: TileAddress) throws -> (stored: [UInt8], bytes: [UInt8])? {
    guard info.zooms.contains(address.zoom), let stored = try file.tile(address) else { return nil }
    guard stored.starts(with: [0x1F, 0x8B]) else { return (stored, stored) }
    guard let bytes = Gzip.unpacked(stored, TileFileLimits.tile) else {
      throw TileFileError("the map", because: "a tile is damaged or too large")
    }
    return (stored, bytes)
  }
}

import CAssets
import GeoQuery

/// A file that pages load, built into the program; its address has a hash of its contents.
///
/// The files are in the folder `assets`, and `CAssets` embeds them.
struct PageAsset: Sendable {
  /// The contents as stored, which may be compressed with gzip.
  let bytes: [UInt8]

  /// Whether the stored contents are compressed.
  let isCompressed: Bool

  /// A hash of the contents.
  let tag: String

  /// Makes an asset of its stored bytes.
  init(_ bytes: [UInt8], isCompressed: Bool = false) {
    self.bytes = bytes
    self.isCompressed = isCompressed
    // of a megabyte at each start: SHA-256 took a fifth of the time until the service was ready
    tag = String(StableHash.text(of: bytes).prefix(12))
  }

  fileprivate init(_ file: geoq_asset, isCompressed: Bool = false) {
    self.init(file.contents, isCompressed: isCompressed)
  }

  static let style = PageAsset(geoq_page_style())
  static let script = PageAsset(geoq_page_script())

  /// The icon that browsers show next to a page's title: an ICO file with a pin of 32 × 32 pixels.
  static let icon = geoq_page_icon().contents

  /// The JSON schemas of the OpenAPI document.
  static let schemas = geoq_schemas().contents
}

/// What is linked into geoq and embedded in it, with the licenses: `THIRD-PARTY-NOTICES`.
package enum Notices {
  package static let text = geoq_notices().text
}

extension geoq_asset {
  /// The contents; empty if the file was missing at build time.
  fileprivate var contents: [UInt8] {
    Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// The contents of a text file, without its last line break.
  fileprivate var text: String { String(decoding: contents.dropLast(), as: UTF8.self) }
}

/// The files for maps that are built into the program (`Scripts/map-library`).
struct MapLibrary: Sendable {
  /// OpenLayers.
  let script: PageAsset

  /// Its stylesheet.
  let style: PageAsset

  /// The script that draws the maps: `map.js`.
  let drawing: PageAsset

  /// The outlines of the land, as GeoJSON.
  let land: PageAsset

  /// The files built into the program; nil if the library was missing at build time.
  static let embedded: MapLibrary? = {
    let (script, style) = (geoq_map_library(), geoq_map_library_style())
    guard script.length > 0, style.length > 0 else { return nil }
    return MapLibrary(
      script: PageAsset(script, isCompressed: true),
      style: PageAsset(style, isCompressed: true),
      drawing: PageAsset(geoq_map_script()),
      land: PageAsset(geoq_map_land())
    )
  }()
}

/// Whether and how pages have maps, as the build and the operator decide.
package struct MapSettings: Sendable {
  /// The files for maps; nil if the program was built without them, so that pages have no maps.
  var library = MapLibrary.embedded

  /// The map under the restaurants; nil for outlines of the land.
  package var basemap: BasemapTemplate?

  /// Settings for maps with outlines of the land.
  package init() {}
}

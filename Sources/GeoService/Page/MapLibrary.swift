import CMapAssets
import GeoQuery

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
    guard let script = bytes(geoq_map_library()), let style = bytes(geoq_map_library_style()),
      let drawing = bytes(geoq_map_script()), let land = bytes(geoq_map_land())
    else { return nil }
    return MapLibrary(
      script: PageAsset(script, isCompressed: true),
      style: PageAsset(style, isCompressed: true),
      drawing: PageAsset(drawing),
      land: PageAsset(land)
    )
  }()

  private static func bytes(_ asset: geoq_asset) -> [UInt8]? {
    guard let bytes = asset.bytes, asset.length > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: asset.length))
  }
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

import ArgumentParser
import GeoQuery

/// The zoom levels of a file of map tiles.
struct ZoomOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With -o FILE.pmtiles or .mbtiles: the lowest zoom, 0 to 22.",
      valueName: "zoom"
    )
  )
  var minZoom: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With -o FILE.pmtiles or .mbtiles: the highest zoom, 0 to 22 (default: chosen from the data).",
      valueName: "zoom"
    )
  )
  var maxZoom: Int?

  func validate() throws {
    for (name, zoom) in [("--min-zoom", minZoom), ("--max-zoom", maxZoom)] {
      guard let zoom, !(0...TileAddress.maximumZoom).contains(zoom) else { continue }
      throw ValidationError("\(name) must be 0 to \(TileAddress.maximumZoom), got \(zoom)")
    }
    if let minZoom, let maxZoom, minZoom > maxZoom {
      throw ValidationError("--min-zoom: \(minZoom) is above the --max-zoom of \(maxZoom)")
    }
  }

  /// Checks which options are allowed with tiles, and which only with tiles.
  ///
  /// - Throws: `ValidationError` about the option.
  func check(_ output: OutputOptions) throws {
    guard let file = output.tileFile, let kind = TileFileKind(fileName: file) else {
      if minZoom == nil, maxZoom == nil { return }
      throw ValidationError("--min-zoom and --max-zoom go with -o FILE.pmtiles or FILE.mbtiles")
    }
    let others = [
      ("-f", output.format != nil), ("--json", output.json || output.jsonFields != nil),
      ("--geojson", output.geojson), ("--columns", output.columns != nil), ("--raw", output.raw),
      ("-0", output.null),
    ]
    if let other = others.first(where: \.1)?.0 {
      throw ValidationError("\(other) does not go with -o FILE.\(kind), which has map tiles")
    }
  }
}

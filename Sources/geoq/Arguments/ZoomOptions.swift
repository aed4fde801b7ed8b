import ArgumentParser
import GeoQuery

/// The zooms of a file of map tiles.
struct ZoomOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("With -o FILE.pmtiles: the least zoom, 0 to 22.", valueName: "zoom")
  )
  var minZoom: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With -o FILE.pmtiles: the greatest zoom, 0 to 22; else chosen from the data.",
      valueName: "zoom"
    )
  )
  var maxZoom: Int?

  func validate() throws {
    for (name, zoom) in [("--min-zoom", minZoom), ("--max-zoom", maxZoom)] {
      guard let zoom, !(0...TileAddress.greatestZoom).contains(zoom) else { continue }
      throw ValidationError("\(name): must be 0 to \(TileAddress.greatestZoom), got \(zoom)")
    }
    if let minZoom, let maxZoom, minZoom > maxZoom {
      throw ValidationError("--min-zoom: \(minZoom) is above the --max-zoom of \(maxZoom)")
    }
  }

  /// Checks what goes with tiles, and what goes with nothing else.
  ///
  /// - Throws: `ValidationError` naming the option.
  func check(_ output: OutputOptions) throws {
    guard output.tileFile != nil else {
      if minZoom == nil, maxZoom == nil { return }
      throw ValidationError("--min-zoom and --max-zoom go with -o FILE.pmtiles")
    }
    let others = [
      ("-f", output.format != nil), ("--json", output.json || output.jsonFields != nil),
      ("--geojson", output.geojson), ("--columns", output.columns != nil), ("--raw", output.raw),
      ("-0", output.null),
    ]
    if let other = others.first(where: \.1)?.0 {
      throw ValidationError("\(other) does not go with -o FILE.pmtiles, which has map tiles")
    }
  }
}

import ArgumentParser
import GeoIndex
import GeoQuery
import GeoService
import GeoStore

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract:
      "Export restaurants as GeoJSON, map tiles or another format.",
    discussion: """
        geoq export -o restaurants.geojson
        geoq export --bbox -96.9,32.9,-96.8,33.0 -o map.csv
        geoq export -f geojsonseq | gzip > restaurants.geojsons.gz
        geoq export --max-zoom 12 -o restaurants.pmtiles

      The format is GeoJSON unless -f or the extension of -o selects another. Restaurants are sorted by \
      id. geoq imports its own exports in geojson, geojsonseq, jsonl, csv and tsv without loss, unless \
      --columns omits keys. With the extension .pmtiles or .mbtiles, the file has map tiles with \
      exact counts, from zoom 0 to 14.
      """
  )

  @Option(
    parsing: .unconditional,
    help: "Only restaurants in this box, longitude first.".value("w,s,e,n")
  )
  var bbox: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var zooms: ZoomOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try box()
    try zooms.check(output)
  }

  func run() throws {
    let run = QueryRun(globals: globals, output: output)
    let (box, filter) = (try box(), try filters.filter(globals))
    let query = Query(box.map(Query.Region.box) ?? .everywhere, matching: filter)
    guard let file = output.tileFile else {
      return try run.answer(query, whenUnsaid: .geojson)
    }
    var wanted = TilesToFile()
    wanted.filter = filter
    wanted.box = box
    wanted.minZoom = zooms.minZoom ?? 0
    wanted.maxZoom = zooms.maxZoom ?? max(wanted.minZoom, TilesToFile.defaultMaxZoom)
    try run.writeTiles(wanted, to: file) { try run.finish(after: query, $0) }
  }

  private func box() throws -> BoundingBox? {
    try bbox.map { bbox in try named("--bbox") { try parseBox(bbox) } }
  }
}

extension QueryRun {
  /// Writes map tiles to a file, which appears only when it is complete; calls `whenEmpty` if no
  /// restaurant was found.
  ///
  /// - Throws: `CommandFailure` with exit code 74 if the temporary file of the tiles cannot be
  ///   written.
  func writeTiles(
    _ wanted: TilesToFile,
    to path: String,
    whenEmpty: (QueryEngine) throws -> Void
  ) throws {
    try globals.checkOutput(path)
    let kind = TileFileKind(fileName: path)
    try withStore { store in
      let engine = try globals.engine(store)
      if kind == .mbtiles, !(try OutputTarget(path: path, force: output.force)).isFile {
        throw ValidationError("-o: an MBTiles file is a database, not a pipe; name a file")
      }
      let file = try OutputFile(path: path, force: output.force)
      var wanted = wanted
      wanted.credits = try store.credits()
      let written = try write(wanted, as: kind, from: engine, to: file, path)
      try file.commit()
      globals.say(
        "\(terminalSafe(path)): \(restaurants(written.restaurants)), "
          + "\(counted(written.tiles, "tile")), zoom \(written.zooms.lowerBound) to "
          + "\(written.zooms.upperBound)"
      )
      if written.restaurants == 0 { try whenEmpty(engine) }
    }
  }

  private func write(
    _ wanted: TilesToFile,
    as kind: TileFileKind?,
    from engine: QueryEngine,
    to file: OutputFile,
    _ path: String
  ) throws -> TilesInFile {
    let bar = ProgressBar(isQuiet: globals.quiet, "writing")
    defer { bar.clear() }
    func show(zoom: Int, count: Int) {
      bar.show { ProgressBar.line("zoom \(zoom), \(grouped(count)) tiles", seconds: $0) }
    }
    guard let gzip = GzipStream() else {
      throw CommandFailure.inputOutput("not enough memory to compress; end other programs")
    }
    do {
      guard kind == .mbtiles, let place = file.currentPath else {
        return try engine.writePMTiles(
          wanted,
          beside: path,
          compress: gzip.compressWhole,
          progress: show,
          to: { try file.write($0) }
        )
      }
      return try MBTilesWriter(path: place, credits: wanted.credits).write { add in
        try engine.makeTiles(wanted, progress: show) { try add($0, gzip.compressWhole($1)) }
      }
    } catch let error as SnapshotError where error.path == path {
      throw CommandFailure.inputOutput(terminalSafe(error.description))
    } catch let error as StoreError where error.kind == .inputOutput {
      // the error has the path of the temporary file
      throw CommandFailure.inputOutput(terminalSafe("\(path): \(error.message)"))
    }
  }
}

/// The zoom levels of a file of map tiles.
struct ZoomOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "With -o FILE.pmtiles or .mbtiles: the lowest zoom, 0 to 22.".value("zoom")
  )
  var minZoom: Int?

  @Option(
    parsing: .unconditional,
    help:
      "With -o FILE.pmtiles or .mbtiles: the highest zoom, 0 to 22 (default: 14, or --min-zoom if that is higher)."
      .value("zoom")
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

struct HeatmapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heatmap",
    abstract: "Draw a heat map of restaurants as a PNG picture.",
    discussion: """
        geoq heatmap -o lunch.png
        geoq heatmap --bbox -97,32.6,-96.6,33.1 --category Thai -o thai.png

      The picture is in Web Mercator, like most web maps. Darker means more restaurants; the scale is \
      logarithmic, so that a single one is visible next to thousands.
      """
  )

  /// The maximum width and height in pixels.
  private static let maximumSide = 8_192

  @Option(
    parsing: .unconditional,
    help: "The box to draw, longitude first (default: around all restaurants).".value("w,s,e,n")
  )
  var bbox: String?

  @Option(help: "Width in pixels; the height follows from the box.".value("pixels"))
  var width = 1_024

  @Option(help: "How far each restaurant glows, in pixels; 0 for a single pixel.".value("pixels"))
  var radius = 8

  @Option(
    name: .shortAndLong,
    help: "Write to this file; - is standard output.".value("file"),
    completion: .file(extensions: ["png"])
  )
  var output: String

  @Flag(help: "Overwrite an existing -o file.")
  var force = false

  @OptionGroup var filters: FilterOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try box()
    try require(width, in: 1...Self.maximumSide, "--width must be 1 to \(Self.maximumSide)")
    try require(radius, in: 0...64, "--radius must be 0 to 64")
    if output != "-", !output.lowercased().hasSuffix(".png") {
      throw ValidationError("-o: a heat map is a PNG; give the name of a file that ends in .png")
    }
    try globals.checkOutput(output)
  }

  func run() throws {
    let (box, filter) = (try box(), try filters.filter(globals))
    let store = try globals.openStore()
    defer { try? store.close() }
    let engine = try globals.engine(store)
    let shown = box ?? Self.surroundings(of: engine.snapshot.shownExtent ?? .world)
    guard let grid = PixelGrid(shown, width: width, maximumHeight: Self.maximumSide) else {
      throw ValidationError(
        "--bbox: the picture has no area, or would be taller than \(Self.maximumSide) pixels; "
          + "choose another box or a smaller --width"
      )
    }
    let counts = try engine.counts(in: grid, matching: filter)
    let picture = HeatPicture(counts, width: grid.width, radius: radius)
    let png = PNGFile.bytes(picture.pixels, width: grid.width, palette: HeatPicture.palette)
    guard let png else {
      throw CommandFailure.inputOutput("not enough memory for compression; end other programs")
    }
    if output == "-" {
      try StandardStreams.print(png)
    } else {
      let file = try OutputFile(path: output, force: force)
      try file.write(png)
      try file.commit()
    }
    let count = counts.reduce(0) { $0 + Int($1) }
    let name = output == "-" ? "" : "\(terminalSafe(output)): "
    globals.say("\(name)\(restaurants(count)), \(grid.width) × \(grid.height) pixels")
  }

  private func box() throws -> BoundingBox? {
    try bbox.map { bbox in try named("--bbox") { try parseBox(bbox) } }
  }

  /// A box with a margin, so that nothing at its edge is cut off.
  private static func surroundings(of box: BoundingBox) -> BoundingBox {
    let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    let room = max(0.01, 0.05 * max(width, box.north - box.south))
    let (south, north) = (max(-85.0511, box.south - room), min(85.0511, box.north + room))
    let isWorld = width + 2 * room >= 360
    func wrapped(_ longitude: Double) -> Double {
      longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude
    }
    return BoundingBox(
      west: isWorld ? -180 : wrapped(box.west - room),
      south: min(south, 85),
      east: isWorld ? 180 : wrapped(box.east + room),
      north: max(north, -85)
    ) ?? .world
  }
}

/// A PNG with a palette (ISO/IEC 15948): 8 bits per pixel, no filter, one IDAT.
enum PNGFile {
  /// The file of a picture, whose pixels are numbers of colors; nil if zlib has no memory.
  static func bytes(_ pixels: [UInt8], width: Int, palette: [[UInt8]]) -> [UInt8]? {
    let height = pixels.count / width
    var lines: [UInt8] = []
    lines.reserveCapacity(pixels.count + height)
    for row in 0..<height {
      lines.append(0)
      lines += pixels[row * width..<(row + 1) * width]
    }
    guard let packed = GzipStream(isZlib: true)?.compress(lines, isEnd: true) else { return nil }
    // 8 bits, palette; deflate, adaptive filters, not interlaced
    let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 3, 0, 0, 0]
    return [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("PLTE", palette.flatMap { $0 })
      + chunk("IDAT", packed) + chunk("IEND", [])
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(GzipStream.checksum(body))
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

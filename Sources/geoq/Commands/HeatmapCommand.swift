import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

/// `geoq heatmap`.
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
    help: ArgumentHelp(
      "The box to draw, longitude first (default: around all restaurants).",
      valueName: "w,s,e,n"
    )
  )
  var bbox: String?

  @Option(
    help: ArgumentHelp("Width in pixels; the height follows from the box.", valueName: "pixels")
  )
  var width = 1_024

  @Option(
    help: ArgumentHelp(
      "How far each restaurant glows, in pixels; 0 for a single pixel.",
      valueName: "pixels"
    )
  )
  var radius = 8

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["png"])
  )
  var output: String

  @Flag(help: "Overwrite an existing -o file.")
  var force = false

  @OptionGroup var filters: FilterOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try box()
    if !(1...Self.maximumSide).contains(width) {
      throw ValidationError("--width must be 1 to \(Self.maximumSide), got \(width)")
    }
    if !(0...64).contains(radius) {
      throw ValidationError("--radius must be 0 to 64, got \(radius)")
    }
    if output != "-", !output.lowercased().hasSuffix(".png") {
      throw ValidationError("-o: a heat map is a PNG; give the name of a file that ends in .png")
    }
    if AnswerOutput.isSameFile(output, globals.databasePath) {
      throw ValidationError("-o: \(terminalSafe(output)) is the database itself; name another file")
    }
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
      throw CommandFailure(
        "not enough memory for compression; end other programs",
        exitCode: CommandFailure.inputOutput
      )
    }
    try write(png)
    let count = counts.reduce(0) { $0 + Int($1) }
    let name = output == "-" ? "" : "\(terminalSafe(output)): "
    globals.say("\(name)\(restaurants(count)), \(grid.width) × \(grid.height) pixels")
  }

  private func write(_ bytes: [UInt8]) throws {
    if output == "-" {
      return try StandardStreams.print(bytes)
    }
    let file = try OutputFile(path: output, force: force)
    try file.write(bytes)
    try file.commit()
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

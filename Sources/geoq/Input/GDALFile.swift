import Foundation
import GeoFeed
import GeoStore

/// A file of a format that GDAL reads: its tool `ogr2ogr` runs as a child process and writes the records to
/// a pipe, as GeoJSON in WGS84, or as a table if the file has no positions.
///
/// The child has only the driver of the file's format, so that no file leads to another file, a database or
/// an address. Its memory, its processor time, its silence and its output are bounded, and it ends with
/// the import.
final class GDALFile: ByteSource {
  private let path: String
  private let driver: GDALDriver
  /// The children to run, one after another: the arguments of `ogr2ogr`.
  private var waiting: [[String]]
  private var child: GDALChild?
  private var byteCount = 0

  /// Opens a file if its format is one of GDAL's and `ogr2ogr` is there; otherwise it is nil.
  ///
  /// Without a layer, the only one with such geometries is read, or the only table.
  ///
  /// - Throws: `CommandFailure` if the layer is not clear or the file cannot be read.
  init?(_ path: String, layer: String?, for geometry: Geometry = .point) throws {
    guard let driver = try GDALDriver(path) else { return nil }
    guard GDALChild.place(of: "ogr2ogr") != nil, let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    self.path = path
    self.driver = driver
    let name = driver.prefix + String(cString: whole) + driver.suffix
    let chosen = try Self.layer(layer, of: name, driver, geometry, path)
    let common = driver.openOptions
    if !chosen.hasPositions {
      waiting = [["-f", "CSV"] + common + ["/vsistdout/", name, chosen.name]]
      return
    }
    // positions with all their digits, and no number of a row, which the next export may give to another
    let features =
      ["-f", "GeoJSONSeq", "-lco", "COORDINATE_PRECISION=15", "-unsetFid", "-dim", "XY"] + common
    waiting =
      layer == nil && geometry == .point && !driver.queries.isEmpty
      ? driver.queries.map { features + ["-sql", $0, "/vsistdout/", name] }
      : [features + ["/vsistdout/", name, chosen.name]]
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      if child == nil, waiting.isEmpty { return 0 }
      let count: Int
      do {
        if child == nil {
          child = try GDALChild("ogr2ogr", waiting.removeFirst(), only: driver)
        }
        guard let child else { return 0 }
        count = try child.read(into: space)
      } catch {
        throw Self.failure(path, error.description)
      }
      byteCount += count
      guard byteCount <= FeedReader.maximumBytes else {
        throw Self.failure(path, "the converted feed is larger than a feed may be")
      }
      if count > 0 { return count }
      self.child = nil
    }
  }

  private static func failure(_ path: String, _ problem: String) -> CommandFailure {
    CommandFailure.badData(path, "\(terminalSafe(problem)); nothing was read from it")
  }

  // MARK: Layers

  /// The kinds of geometries that geoq looks for.
  enum Geometry: String {
    case point = "Point"
    case polygon = "Polygon"
  }

  /// A layer as `ogrinfo` lists it.
  private struct Layer {
    let name: String
    /// What follows the name in parentheses: the kind of geometry.
    let kind: String

    var hasPositions: Bool { kind != "None" }

    /// Whether it may have geometries of a kind.
    func mayHave(_ geometry: Geometry) -> Bool {
      kind.isEmpty || kind.contains(geometry.rawValue) || kind.hasPrefix("Unknown")
    }

    /// Reads a line such as `1: places (Point)`; nil for others.
    init?(line: Substring) {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
        line[..<colon].allSatisfy(\.isWholeNumber), line[colon...].hasPrefix(": ")
      else { return nil }
      let rest = line[colon...].dropFirst(2)
      let kinds = ["Point", "String", "Polygon", "None", "Collection", "Curve", "Surface", "(any)"]
      guard rest.hasSuffix(")"), let open = rest.range(of: " (", options: .backwards),
        kinds.contains(where: rest[open.upperBound...].contains)
      else {
        (name, kind) = (String(rest), "")
        return
      }
      // `Unknown (any)` has parentheses of its own
      let isUnknown = rest.hasSuffix(" (Unknown (any))")
      name = String(isUnknown ? rest.dropLast(" (Unknown (any))".count) : rest[..<open.lowerBound])
      kind = isUnknown ? "Unknown" : String(rest[open.upperBound...].dropLast())
    }
  }

  private static func layer(
    _ wanted: String?,
    of name: String,
    _ driver: GDALDriver,
    _ geometry: Geometry,
    _ path: String
  ) throws -> Layer {
    let listing: String
    do {
      listing = try GDALChild.output("ogrinfo", ["-ro"] + driver.openOptions + [name], only: driver)
    } catch {
      throw failure(path, "this is \(driver.title), but \(error.description)")
    }
    let layers = listing.split(whereSeparator: \.isNewline).compactMap(Layer.init)
    let fitting = layers.filter { $0.hasPositions && $0.mayHave(geometry) }
    let tables = layers.filter { !$0.hasPositions }
    let found: Layer? =
      if let wanted = wanted ?? (geometry == .point ? driver.layer : nil) {
        layers.first { $0.name == wanted }
      } else if layers.count == 1 || fitting.count == 1 {
        fitting.first ?? layers.first
      } else {
        fitting.isEmpty && tables.count == 1 ? tables.first : nil
      }
    guard let found else {
      if layers.isEmpty { throw failure(path, "\(driver.title) has no layer") }
      let list = layers.map { $0.kind.isEmpty ? $0.name : "\($0.name) (\($0.kind))" }
      let problem =
        wanted.map { "there is no layer \"\($0)\"" } ?? "there are \(layers.count) layers"
      throw failure(path, "\(problem); choose one with --layer: \(list.joined(separator: ", "))")
    }
    guard !found.name.hasPrefix("-") else {
      throw failure(path, "the name of the layer \"\(found.name)\" begins with -; rename it")
    }
    return found
  }
}

/// How GDAL reads the files of a format.
struct GDALDriver {
  /// The name of the format for people.
  let title: String

  /// GDAL's name of the driver.
  let name: String

  /// What comes before the path: the file system for ZIP archives.
  var prefix = ""

  /// What comes after the path: the folder in the archive.
  var suffix = ""

  var openOptions: [String] = []

  /// The layer to read if none is asked for.
  var layer: String?

  /// The queries to read instead of a layer, if none is asked for.
  var queries: [String] = []

  /// The seconds after which a child that writes nothing is ended.
  var silence = 120
}

extension GDALDriver {
  /// The driver for a file by its first bytes; nil for feeds and other files.
  ///
  /// - Throws: `CommandFailure` if the file could lead to another one.
  init?(_ path: String) throws {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: path)
    else { return nil }
    defer { try? file.close() }
    let start = [UInt8](try file.read(upToCount: 4_096) ?? Data())
    var names: [String] = []
    let kind = try SpatialFormat.of(start) {
      names = try ZipDirectory.names(of: file)
      return names
    }
    guard let kind else { return nil }
    self.init(kind)
    let shape = names.first { $0.lowercased().hasSuffix(".shp") }
    if kind == .zippedShapefile, let slash = shape?.lastIndex(of: "/") {
      suffix = "/" + (shape?[..<slash] ?? "")
    }
    guard kind == .geoPackage || kind == .sqlite else { return }
    if let table = ForeignDatabase.tableOfOtherFiles(path) {
      throw CommandFailure.badData(
        path,
        "the table \"\(terminalSafe(table))\" reads another file, which geoq does not follow"
      )
    }
  }

  private init(_ kind: SpatialFormat) {
    let headers = ["-oo", "HEADERS=FORCE"]
    self =
      switch kind {
      case .geoPackage: GDALDriver(title: "a GeoPackage", name: "GPKG")
      case .sqlite: GDALDriver(title: "an SQLite database", name: "SQLite")
      case .flatGeobuf: GDALDriver(title: "FlatGeobuf", name: "FlatGeobuf")
      case .shapefile: GDALDriver(title: "a shapefile", name: "ESRI Shapefile")
      case .zippedShapefile:
        GDALDriver(title: "a zipped shapefile", name: "ESRI Shapefile", prefix: "/vsizip/")
      case .kml: GDALDriver(title: "KML", name: "LIBKML")
      case .gpx: GDALDriver(title: "GPX", name: "GPX", layer: "waypoints")
      case .mapInfo: GDALDriver(title: "a MapInfo file", name: "MapInfo File")
      case .excel: GDALDriver(title: "a workbook", name: "XLSX", openOptions: headers)
      case .openDocument: GDALDriver(title: "a spreadsheet", name: "ODS", openOptions: headers)
      case .openStreetMap:
        GDALDriver(
          title: "an OpenStreetMap extract",
          name: "OSM",
          layer: "points",
          // ids as OpenStreetMap has them: a node, a way and a relation may have the same number
          queries: [
            "SELECT CONCAT('node/', osm_id) AS \"@id\", * FROM points",
            "SELECT CONCAT('way/', osm_way_id) AS \"@id\", * FROM multipolygons WHERE osm_way_id IS NOT NULL",
            "SELECT CONCAT('relation/', osm_id) AS \"@id\", * FROM multipolygons WHERE osm_id IS NOT NULL",
          ],
          silence: 3_600
        )
      }
  }
}

/// The names in a ZIP archive, from the directory at its end (PKWARE APPNOTE 6.3.10, §4.3.12 and §4.3.16).
private enum ZipDirectory {
  /// The names; empty if there is no directory.
  static func names(of file: FileHandle) throws -> [String] {
    let size = try file.seekToEnd()
    let tailLength = min(size, 65_557)
    let tail = try bytes(of: file, at: size - tailLength, Int(tailLength))
    // the last record with its signature, before which a comment cannot be
    guard
      let end = tail.indices.dropLast(21).last(where: {
        tail[$0...].starts(with: [0x50, 0x4B, 5, 6])
      })
    else { return [] }
    let length = min(number(tail, end + 12, 4), 1 << 22)
    var rest = try bytes(of: file, at: UInt64(number(tail, end + 16, 4)), length)[...]
    var names: [String] = []
    while rest.count >= 46, rest.starts(with: [0x50, 0x4B, 1, 2]) {
      let start = rest.startIndex
      let all = Array(rest.prefix(46))
      let nameEnd = start + 46 + number(all, 28, 2)
      let end = nameEnd + number(all, 30, 2) + number(all, 32, 2)
      guard end <= rest.endIndex else { break }
      names.append(String(decoding: rest[(start + 46)..<nameEnd], as: UTF8.self))
      rest = rest[end...]
    }
    return names
  }

  private static func bytes(of file: FileHandle, at offset: UInt64, _ count: Int) throws -> [UInt8]
  {
    try file.seek(toOffset: offset)
    return [UInt8](try file.read(upToCount: count) ?? Data())
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
    bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

/// A tool of GDAL as a child process, with limits.
final class GDALChild {
  private let tool: String
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private let silence: Int
  /// The end of what it says.
  private var lastError: [UInt8] = []
  private var errorCount = 0

  /// The maximum number of bytes that a child may complain in.
  private static let maximumErrors = 16 << 20

  /// Bytes of memory and seconds of processor time that a child may use.
  private static let limits = (kibibytes: 8 << 20, seconds: 3_600)

  /// The file of a tool; nil if it is not installed.
  static func place(of tool: String) -> String? {
    (CommandContext.variable("PATH") ?? "").split(separator: ":").lazy.map { "\($0)/\(tool)" }
      .first { access($0, X_OK) == 0 }
  }

  /// Starts a tool, which may read with this driver only; without a driver it reads no file.
  init(_ tool: String, _ arguments: [String], only driver: GDALDriver?) throws(ByteSourceError) {
    let skipped = if let driver { try Self.others(than: driver) } else { "" }
    self.tool = tool
    silence = driver?.silence ?? 120
    // a shell sets the limits and becomes the tool; nothing of the arguments is read as shell
    let script =
      "ulimit -v \(Self.limits.kibibytes); ulimit -t \(Self.limits.seconds); exec \"$0\" \"$@\""
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, Self.place(of: tool) ?? tool] + arguments
    process.environment = [
      "PATH": CommandContext.variable("PATH") ?? "", "LC_ALL": "C.UTF-8", "PROJ_NETWORK": "OFF",
      "OGR_SKIP": skipped,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      throw ByteSourceError("cannot start \(tool)")
    }
    Self.change { $0.insert(process.processIdentifier) }
  }

  /// All drivers but one and those for the output, as GDAL's variable `OGR_SKIP` has them: a file may look
  /// like those that lead to other files.
  private static func others(than driver: GDALDriver) throws(ByteSourceError) -> String {
    let names = try output("ogrinfo", ["--formats"], only: nil).split(whereSeparator: \.isNewline)
      .compactMap { line in
        line.hasPrefix("  ")
          ? line.range(of: " -").map { String(line[..<$0.lowerBound].dropFirst(2)) } : nil
      }
    guard names.contains(driver.name) else {
      throw ByteSourceError("this GDAL does not read \(driver.title)")
    }
    return names.filter { ![driver.name, "GeoJSONSeq", "CSV"].contains($0) }.joined(separator: ",")
  }

  deinit {
    end()
  }

  /// Reads what the tool writes; 0 only if it has ended well.
  ///
  /// - Throws: An error if the tool fails, crashes or is silent for too long.
  func read(into space: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    // the output, and what the tool says
    var open = [
      output.fileHandleForReading.fileDescriptor, errors.fileHandleForReading.fileDescriptor,
    ]
    while open != [-1, -1] {
      var waits = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let ready = poll(&waits, nfds_t(waits.count), Int32(silence * 1_000))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { throw endSilent() }
      if waits[1].revents != 0, !takeErrors(open[1]) { open[1] = -1 }
      guard errorCount <= Self.maximumErrors else {
        end()
        throw ByteSourceError("\(tool) does not stop to complain and was ended")
      }
      guard waits[0].revents != 0 else { continue }
      let count = readBytes(open[0], space.baseAddress, space.count)
      if count > 0 { return count }
      if count == 0 || errno != EINTR { open[0] = -1 }
    }
    let start = ContinuousClock.now
    while process.isRunning {
      guard start.duration(to: .now) < .seconds(silence) else { throw endSilent() }
      usleep(2_000)
    }
    forget()
    try check()
    return 0
  }

  /// Ends the tool because it has said nothing for too long.
  private func endSilent() -> ByteSourceError {
    end()
    return ByteSourceError("\(tool) wrote nothing for \(silence) seconds and was ended")
  }

  /// Keeps the end of what the tool says; false if there is no more.
  private func takeErrors(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = readBytes(descriptor, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    errorCount += count
    lastError = (lastError + bytes[..<count]).suffix(4_096)
    return true
  }

  private func check() throws(ByteSourceError) {
    if process.terminationReason == .uncaughtSignal {
      throw ByteSourceError("\(tool) was ended by signal \(process.terminationStatus)")
    }
    guard process.terminationStatus != 0 else { return }
    let lines = String(decoding: lastError, as: UTF8.self).split(whereSeparator: \.isNewline)
    let line = lines.last { $0.contains("ERROR") } ?? lines.last
    throw ByteSourceError(
      "\(tool) failed" + (line.map { ": \($0.prefix(300))" } ?? " without a word")
    )
  }

  /// Ends the tool and what it has started.
  private func end() {
    guard process.isRunning else { return forget() }
    Self.killGroup(process.processIdentifier)
    process.waitUntilExit()
    forget()
  }

  private func forget() {
    Self.change { $0.remove(process.processIdentifier) }
  }

  // MARK: All children

  nonisolated(unsafe) private static var running: Set<Int32> = []
  private static let lock = NSLock()

  private static func change(_ body: (inout Set<Int32>) -> Void) {
    lock.withLock { body(&running) }
  }

  /// Ends all children, when the process is interrupted.
  static func endAll() { change { $0.forEach(killGroup) } }

  /// The child leads a group of its own.
  private static func killGroup(_ process: Int32) {
    if kill(-process, SIGKILL) != 0 { _ = kill(process, SIGKILL) }
  }

  /// What a tool writes in all, at most 1 MiB.
  static func output(
    _ tool: String,
    _ arguments: [String],
    only driver: GDALDriver?
  ) throws(ByteSourceError) -> String {
    let child = try GDALChild(tool, arguments, only: driver)
    var all: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { piece.deallocate() }
    while true {
      let count = try child.read(into: piece)
      if count == 0 { return String(decoding: all, as: UTF8.self) }
      all += piece[..<count]
      guard all.count <= 1 << 20 else { throw ByteSourceError("\(tool) writes too much") }
    }
  }
}

/// `read` of the system, which a method hides.
private func readBytes(_ descriptor: Int32, _ space: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, space, count)
}

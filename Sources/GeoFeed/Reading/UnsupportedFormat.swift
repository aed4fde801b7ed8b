import GeoQuery

/// A kind of file that is not a feed, recognized by its first bytes, and what to do about it.
struct UnsupportedFormat {
  let name: String
  let advice: String?
  /// The command that converts it, as `FeedFault.Advice` has it.
  let command: String?

  init(_ name: String, _ advice: String? = nil, _ command: String? = nil) {
    (self.name, self.advice, self.command) = (name, advice, command)
  }

  /// The error for a file of this kind.
  func fault(at offset: Int? = nil) -> FeedFault {
    FeedFault("this is \(name), not a feed", at: offset, advice: advice.map { ($0, command) })
  }

  /// The problem of JSON of this kind.
  var problem: FeedProblem {
    FeedProblem("this is \(name), which geoq does not read", advice: advice.map { ($0, command) })
  }

  /// A kind that GDAL converts.
  private static func spatial(_ name: String, _ file: String = "FILE") -> UnsupportedFormat {
    UnsupportedFormat(name, gdalAdvice, "ogr2ogr -f GeoJSON STEM.geojson \(file)")
  }

  /// Where a file of GDAL's formats can be imported.
  private static let gdalAdvice =
    "import the file itself where GDAL is installed (gdal-bin), or convert it"

  private static func packed(_ name: String, _ command: String) -> UnsupportedFormat {
    UnsupportedFormat(name, "unpack it first", command)
  }

  private static let toCSV = "libreoffice --headless --convert-to csv FILE"

  private static let kinds: [(start: [UInt8], kind: UnsupportedFormat)] = [
    (
      Array("PAR1".utf8),
      UnsupportedFormat(
        "Parquet",
        "convert it",
        #"duckdb -c "COPY (FROM 'FILE') TO 'STEM.jsonl' (FORMAT json)""#
      )
    ),
    (Array("SQLite format 3".utf8), spatial("an SQLite database")),
    (Array("fgb".utf8) + [3], spatial("FlatGeobuf")),
    (Array("!table".utf8), spatial("a MapInfo file")),
    ([0, 0, 0x27, 0x0A], spatial("a shapefile")),
    (Array("%PDF".utf8), UnsupportedFormat("a PDF")),
    (Array("BZh".utf8), packed("bzip2", "bunzip2 -k FILE")),
    ([0x28, 0xB5, 0x2F, 0xFD], packed("Zstandard", "zstd -dk FILE")),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], packed("xz", "xz -dk FILE")),
    (Array("7z".utf8) + [0xBC, 0xAF], packed("a 7-Zip archive", "7z x FILE")),
    (
      [0xD0, 0xCF, 0x11, 0xE0],
      UnsupportedFormat("an old Excel workbook", "export a sheet as CSV", toCSV)
    ),
  ]

  /// The kind of a file that is not text.
  static func binaryKind(of bytes: [UInt8]) -> UnsupportedFormat? {
    if bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) { return archiveKind(of: bytes) }
    if bytes.count > 262, bytes[257..<262].elementsEqual("ustar".utf8) {
      let name = word(String(decoding: bytes[..<100].prefix { $0 != 0 }, as: UTF8.self))
      return packed("a tar archive", name.map { "tar -xf FILE \($0)" } ?? "tar -xf FILE")
    }
    return kinds.first { bytes.starts(with: $0.start) }?.kind
  }

  /// The kind of a ZIP archive, from its first file.
  private static func archiveKind(of bytes: [UInt8]) -> UnsupportedFormat {
    guard bytes.count > 30 else { return packed("a ZIP archive", "unzip FILE") }
    let count = Int(bytes[26]) | Int(bytes[27]) << 8
    let name = String(decoding: bytes[30...].prefix(min(count, 255)), as: UTF8.self)
    let ending = name.lowercased().split(separator: ".").last ?? ""
    switch ending {
    case "kml": return spatial("KMZ")
    case "shp", "shx", "dbf", "prj", "cpg", "sbn", "sbx":
      return spatial("a zipped shapefile", "/vsizip/FILE")
    case _
    where name == "[Content_Types].xml" || name == "mimetype" || name.hasPrefix("_rels/")
      || name.hasPrefix("xl/"):
      let advice =
        "import a workbook where GDAL is installed (gdal-bin), or export a sheet as CSV"
      return UnsupportedFormat("an office document", advice, toCSV)
    default:
      guard let word = word(name) else { return packed("a ZIP archive", "unzip FILE") }
      let base = word.split(separator: "/").last.map(String.init) ?? word
      return packed("a ZIP archive with \(word)", "unzip -p FILE \(word) > \(base)")
    }
  }

  /// A name of a file that needs no quotes in a command; nil for others.
  private static func word(_ name: String) -> String? {
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("+"..."9").contains($0) || $0 == "_"
    }
    return isPlain && !name.isEmpty && !name.hasSuffix("/") && name.utf8.count <= 100 ? name : nil
  }

  /// The kind of markup, from its root element; most often it is a web server's error page.
  static func markupKind(of bytes: ArraySlice<UInt8>) -> UnsupportedFormat {
    let start = String(decoding: bytes.prefix(4_096), as: UTF8.self)
    let root = rootElement(of: start)
    if root == "error", let code = element("Code", in: start) {
      return UnsupportedFormat("an XML error page (\(shortened(String(code))))")
    }
    switch root {
    case "html", "!doctype": return UnsupportedFormat("an HTML page")
    case "kml": return spatial("KML")
    case "gpx":
      return UnsupportedFormat("GPX", gdalAdvice, "ogr2ogr -f GeoJSON STEM.geojson FILE waypoints")
    case "osm":
      let command = "osmtogeojson FILE > STEM.geojson"
      return UnsupportedFormat("OpenStreetMap XML", gdalAdvice, command)
    case "rss": return UnsupportedFormat("an RSS feed")
    case "featurecollection": return spatial("GML")
    default: return UnsupportedFormat("XML", "convert it to JSON or CSV")
    }
  }

  /// The name of the first element, in lower case and without its prefix; `!doctype` for HTML's.
  fileprivate static func rootElement(of text: String) -> String {
    var rest = text[...]
    while let open = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: open)...]
      if rest.hasPrefix("!--") {
        guard let end = rest.firstRange(of: "-->") else { return "" }
        rest = rest[end.upperBound...]
      } else if rest.hasPrefix("?") {
        continue
      } else {
        let name = rest.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }.lowercased()
        if name == "!doctype", !rest.prefix(40).lowercased().contains("html") { continue }
        return name.split(separator: ":").last.map(String.init) ?? ""
      }
    }
    return ""
  }

  /// Whether a text is YAML: its first line is a key, an element or the start of a document.
  static func isYAML(_ bytes: ArraySlice<UInt8>) -> Bool {
    let lines = bytes.prefix(2_048).split(maxSplits: 20) { $0 == 0x0A || $0 == 0x0D }
      .map { String(decoding: $0.prefix(200), as: UTF8.self) }
      .filter { !$0.hasPrefix("#") }
    guard let first = lines.first else { return false }
    if first.hasPrefix("%YAML") || first.trimmed == "---" { return true }
    let text = first.hasPrefix("- ") ? first.dropFirst(2) : first[...]
    guard let colon = text.firstIndex(of: ":") else { return false }
    let isKey = text[..<colon].unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0 == "_" || $0 == "-"
    }
    let value = text[colon...].dropFirst()
    return isKey && colon > text.startIndex && (value.isEmpty || value.hasPrefix(" "))
  }

  static let yaml = UnsupportedFormat("YAML", "convert it", "yq -o json FILE > STEM.json")

  private static func element(_ name: String, in text: String) -> Substring? {
    let parts = text.split(separator: "<\(name)>", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return parts[1].split(separator: "<", maxSplits: 1).first
  }
}

/// Formats that are not feeds, and that GDAL reads.
package enum SpatialFormat: Sendable {
  case geoPackage, sqlite, flatGeobuf, shapefile, zippedShapefile
  case kml, gpx, openStreetMap, mapInfo, excel, openDocument

  /// The format of a file by its first 4 096 bytes, and for ZIP archives by the names in it; nil for feeds and
  /// for what GDAL does not read.
  package static func of(_ start: [UInt8], names: () throws -> [String]) rethrows -> Self? {
    func begins(_ text: String, at offset: Int = 0) -> Bool {
      start.dropFirst(offset).starts(with: text.utf8)
    }
    if begins("SQLite format 3\0") {
      // the application id (https://www.sqlite.org/fileformat.html §1.2.16); MBTiles and geoq's own
      // have others
      let id = start.count >= 72 ? Array(start[68..<72]) : []
      let isPackage = ["GPKG", "GP10", "GP11"].contains { id.elementsEqual($0.utf8) }
      return isPackage ? .geoPackage : id.allSatisfy { $0 == 0 } ? .sqlite : nil
    }
    if begins("PK\u{3}\u{4}") {
      let names = try names().map { $0.lowercased() }
      if names.contains(where: { $0.hasSuffix(".shp") }) { return .zippedShapefile }
      if names.contains("xl/workbook.xml") { return .excel }
      if names.first == "mimetype", names.contains("content.xml") { return .openDocument }
      return names.contains { $0.hasSuffix(".kml") } ? .kml : nil
    }
    if begins("fgb\u{3}") { return .flatGeobuf }
    if start.starts(with: [0, 0, 0x27, 0x0A]) { return .shapefile }
    if begins("OSMHeader", at: 6) { return .openStreetMap }
    let text = String(decoding: start, as: UTF8.self)
    let line = text.prefix(40).lowercased()
    // a seamless table is a list of other files
    let isTable = line.hasPrefix("!table") && !text.lowercased().contains("isseamless")
    if isTable || line.hasPrefix("version ") { return .mapInfo }
    guard text.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }).first == "<" else { return nil }
    switch UnsupportedFormat.rootElement(of: text) {
    case "kml": return .kml
    case "gpx": return .gpx
    case "osm": return .openStreetMap
    default: return nil
    }
  }
}

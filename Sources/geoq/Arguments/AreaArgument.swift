import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore

/// Reads the areas that an option or argument names.
enum AreaArgument {
  /// The area of `--within`: an outline, a file with outlines, or a saved area.
  ///
  /// A file comes before a saved area of the same name.
  ///
  /// - Throws: `ValidationError`; `CommandFailure` if a file cannot be read, or if there is neither.
  static func area(_ text: String, _ globals: GlobalOptions) throws -> Area {
    if AreaList.isText(text) || isFile(text) {
      return try naming(text) { try list(text, nameKey: "name").joined() }
    }
    do {
      return try globals.withStore { try $0.area(named: text) }
    } catch let error as UnknownArea {
      // a path says that a file is meant
      if text.contains("/") { return try naming(text) { try list(text, nameKey: "name").joined() } }
      throw CommandFailure.noInput(
        "--within: there is no file and no saved area \"\(terminalSafe(text))\""
          + advice(on: error)
      )
    }
  }

  /// The areas of an outline or of a file.
  ///
  /// - Parameters:
  ///   - text: GeoJSON or WKT itself, or the path of a file with either, or of one that GDAL reads.
  ///   - nameKey: The property of features that is their name.
  ///   - layer: The layer of a file that GDAL reads; nil for the only one with polygons.
  /// - Returns: At least one area.
  /// - Throws: `QueryError` about what is wrong with the outlines; `CommandFailure` if the file cannot
  ///   be read.
  static func list(_ text: String, nameKey: String, layer: String? = nil) throws -> AreaList {
    let bytes = AreaList.isText(text) ? Array(text.utf8) : try fileBytes(text, layer)
    let list = try AreaList(parsing: bytes, nameKey: nameKey)
    for warning in list.warnings { StandardStreams.complain("warning: " + terminalSafe(warning)) }
    return list
  }

  /// Names the option, or the file if it is one, in an error about outlines.
  static func naming<Result>(_ text: String, _ body: () throws -> Result) throws -> Result {
    try namingOption(or: AreaList.isText(text) ? nil : terminalSafe(text), body)
  }

  /// What to do about the name of an area that is not there.
  static func advice(on error: UnknownArea) -> String {
    if error.known.isEmpty { return "; geoq area add FILE saves one" }
    return "; "
      + guess(at: error.name, among: error.known, else: "geoq area list lists the saved ones")
  }

  private static func isFile(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFDIR
  }

  /// The maximum size of outlines in bytes.
  private static let maximumBytes = 256 << 20

  private static func fileBytes(_ path: String, _ layer: String?) throws -> [UInt8] {
    let converted = try GDALFile(path, layer: layer, for: .polygon)
    var source: any ByteSource = try converted ?? FeedFile(path: path)
    var bytes: [UInt8] = []
    while true {
      let chunk = try source.readChunk(1 << 20)
      if chunk.isEmpty { break }
      bytes += chunk
      guard bytes.count <= maximumBytes else {
        throw CommandFailure.badData(
          path,
          "the outlines are larger than \(maximumBytes >> 20) MiB; simplify them"
        )
      }
    }
    if converted == nil { return bytes }
    // GDAL writes one feature per line; a line break in a text is written as an escape
    let features = bytes.split(separator: 0x0A).joined(separator: [UInt8(ascii: ",")])
    return Array(#"{"type":"FeatureCollection","features":["#.utf8) + features + Array("]}".utf8)
  }
}

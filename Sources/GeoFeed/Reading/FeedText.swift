import GeoQuery

/// What the first bytes of a feed say of it before it is read as text.
enum FeedText {
  /// A kind of file that is no feed, and what to do instead.
  struct Stranger {
    let name: String
    var advice: String?

    /// The kind as a sentence.
    var problem: String { "this is \(name), not a feed" + (advice.map { "; \($0)" } ?? "") }
  }

  /// Names what is no text at all.
  static func binaryKind(of bytes: [UInt8]) -> Stranger? {
    let kinds: [(start: [UInt8], kind: Stranger)] = [
      (
        Array("PK\u{3}\u{4}".utf8),
        Stranger(name: "a ZIP archive or an office document", advice: "export a sheet as CSV")
      ),
      (
        Array("PAR1".utf8),
        Stranger(name: "Parquet", advice: "convert it to GeoJSON or CSV, with ogr2ogr or DuckDB")
      ),
      (
        Array("SQLite format 3".utf8),
        Stranger(name: "an SQLite database", advice: "export it as GeoJSON, with ogr2ogr")
      ),
      (Array("%PDF".utf8), Stranger(name: "a PDF")),
      (Array("BZh".utf8), Stranger(name: "bzip2", advice: "unpack it first")),
      ([0x28, 0xB5, 0x2F, 0xFD], Stranger(name: "Zstandard", advice: "unpack it first")),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A], Stranger(name: "xz", advice: "unpack it first")),
      ([0xFF, 0xFE], Stranger(name: "UTF-16 text", advice: "save it as UTF-8")),
      ([0xFE, 0xFF], Stranger(name: "UTF-16 text", advice: "save it as UTF-8")),
      ([0x7B, 0x00], Stranger(name: "UTF-16 text", advice: "save it as UTF-8")),
      ([0x00, 0x7B], Stranger(name: "UTF-16 text", advice: "save it as UTF-8")),
    ]
    return kinds.first { bytes.starts(with: $0.start) }?.kind
  }

  /// Names markup by its first element; an error page of a file host is the usual one.
  static func markupKind(of bytes: ArraySlice<UInt8>) -> Stranger {
    let start = String(decoding: bytes.prefix(1_024), as: UTF8.self)
    if start.contains("<Error"), let code = element("Code", in: start) {
      return Stranger(name: "an XML error page (\(shortened(String(code))))")
    }
    let head = start.lowercased()
    let kinds = [
      ("<html", Stranger(name: "an HTML page")), ("<!doctype html", Stranger(name: "an HTML page")),
      ("<kml", Stranger(name: "KML", advice: "convert it to GeoJSON, with ogr2ogr")),
      ("<gpx", Stranger(name: "GPX", advice: "convert it to GeoJSON, with ogr2ogr")),
      ("<osm", Stranger(name: "OpenStreetMap XML", advice: "ask Overpass for [out:json]")),
      ("<rss", Stranger(name: "an RSS feed")),
    ]
    return kinds.first { head.contains($0.0) }?.1 ?? Stranger(name: "XML")
  }

  private static func element(_ name: String, in text: String) -> Substring? {
    let parts = text.split(separator: "<\(name)>", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return parts[1].split(separator: "<", maxSplits: 1).first
  }
}

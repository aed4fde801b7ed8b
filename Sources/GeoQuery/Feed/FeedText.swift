/// The text of a feed, checked: what it starts with, and that it is UTF-8.
struct FeedText {
  /// Where the text begins, after a byte order mark and white space.
  let start: Int

  /// Checks the bytes.
  ///
  /// - Throws: `FeedFault` naming what was found where it is no JSON text.
  init(_ bytes: [UInt8]) throws(FeedFault) {
    if let kind = Self.binaryKind(of: bytes) { throw FeedFault("this is \(kind), not a JSON feed") }
    let afterMark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var scanner = JSONScanner(bytes)
    scanner.position = afterMark
    scanner.skipWhitespace()
    start = scanner.position
    guard let first = scanner.next else {
      throw FeedFault(bytes.isEmpty ? "the feed is empty" : "the feed holds only white space")
    }
    if first == UInt8(ascii: "<") {
      throw FeedFault("this is \(Self.markupKind(of: bytes[start...])), not a JSON feed", at: start)
    }
    if let offset = firstInvalidUTF8(in: bytes) {
      throw FeedFault("byte \(hex(bytes[offset])) is not valid UTF-8; feeds are UTF-8", at: offset)
    }
    if let kind = Self.tableKind(of: bytes[start...]) {
      throw FeedFault(
        "this is \(kind), which geoq does not read yet; export it as GeoJSON",
        at: start
      )
    }
  }

  /// Names a table by its header line: three or more names with nothing but a separator in between.
  private static func tableKind(of bytes: ArraySlice<UInt8>) -> String? {
    let header = bytes.prefix(1_024).prefix { $0 != 0x0A && $0 != 0x0D }
    let separators: [(Character, String)] = [
      (",", "CSV"), (";", "CSV"), ("\t", "tab-separated values"),
    ]
    return separators.first { separator, _ in
      let names = String(decoding: header, as: UTF8.self)
        .split(separator: separator, omittingEmptySubsequences: false)
      return names.count >= 3
        && names.allSatisfy { $0.first.map { $0.isLetter || $0 == "\"" || $0 == "_" } ?? false }
    }?.1
  }

  private static func binaryKind(of bytes: [UInt8]) -> String? {
    let kinds: [(start: [UInt8], name: String)] = [
      ([0x1F, 0x8B], "gzip, which geoq does not read yet (gunzip it first)"),
      ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive or an office document"),
      (Array("PAR1".utf8), "Parquet"),
      (Array("SQLite format 3".utf8), "an SQLite database"),
      (Array("%PDF".utf8), "a PDF"),
      ([0xFF, 0xFE], "UTF-16 text"),
      ([0xFE, 0xFF], "UTF-16 text"),
      ([0x7B, 0x00], "UTF-16 text"),
      ([0x00, 0x7B], "UTF-16 text"),
    ]
    return kinds.first { bytes.starts(with: $0.start) }?.name
  }

  /// Names markup by its first element; an error page of a file host is the usual one.
  private static func markupKind(of bytes: ArraySlice<UInt8>) -> String {
    let start = String(decoding: bytes.prefix(1_024), as: UTF8.self)
    if start.contains("<Error"), let code = element("Code", in: start) {
      return "an XML error page (\(shortened(String(code))))"
    }
    let head = start.lowercased()
    let kinds = [
      ("<html", "an HTML page"), ("<!doctype html", "an HTML page"), ("<kml", "KML"),
      ("<gpx", "GPX"), ("<osm", "OpenStreetMap XML"), ("<rss", "an RSS feed"),
    ]
    return kinds.first { head.contains($0.0) }?.1 ?? "XML"
  }

  private static func element(_ name: String, in text: String) -> Substring? {
    let parts = text.split(separator: "<\(name)>", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return parts[1].split(separator: "<", maxSplits: 1).first
  }
}

/// A fault of a feed as a whole, before its source and line are known.
struct FeedFault: Error {
  let problem: String
  let offset: Int?

  init(_ problem: String, at offset: Int? = nil) {
    self.problem = problem
    self.offset = offset
  }

  init(_ error: JSONSyntaxError) {
    self.init(error.problem, at: error.offset)
  }
}

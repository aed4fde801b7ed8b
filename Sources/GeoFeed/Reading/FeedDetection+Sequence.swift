import GeoQuery

/// Opens sequences of JSON texts, and checks the root of one document.
extension FeedDetection {
  /// Opens a sequence, recognized by its first byte or chosen by the user.
  static func sequence(
    in window: inout FeedWindow,
    forced: FeedFormat?,
    _ columns: ChosenColumns
  ) throws -> FeedDetection {
    let usesSeparators = window.next == 0x1E
    let splitter = SequenceSplitter(usesSeparators: usesSeparators)
    guard try SequenceSplitter.skipSeparators(in: &window) != nil else {
      return FeedDetection(forced ?? .geojsonseq, .sequence(splitter), columns: columns)
    }
    let start = try firstText(in: window, usesSeparators: usesSeparators)
    let root = RootObject(JSONScanner(window.bytes, range: start..<window.bytes.count))
    try checkReferenceSystem(root, in: window)
    var found = FeedFormat.geojsonseq
    do throws(FeedProblem) {
      let recognition = try FeedRecognition(root: root)
      guard recognition.place == .sequence else {
        throw FeedProblem("not a sequence of Features; omit the format")
      }
      found = recognition.format
    } catch {
      if forced == nil || error.text.hasPrefix("not a sequence") {
        throw FeedFault(error, at: window.base + start)
      }
    }
    if let forced, !forced.canStandIn(for: found) {
      throw FeedFault(
        "this is not \(forced.rawValue) but looks like \(found.rawValue); omit the format",
        at: window.base + start
      )
    }
    return FeedDetection(forced ?? found, .sequence(splitter), columns: columns)
  }

  /// The start of the first complete text, by which a sequence is recognized; of the text that is
  /// longer than a record may be, if that comes first.
  private static func firstText(in window: FeedWindow, usesSeparators: Bool) throws -> Int {
    let mark: UInt8 = usesSeparators ? 0x1E : 0x0A
    var start = window.position
    var searchedCount = 0
    while start < window.bytes.count {
      var scanner = JSONScanner(window.bytes, range: start..<window.bytes.count)
      scanner.skipWhitespace()
      let text = scanner.position
      do throws(JSONSyntaxError) {
        // otherwise each of many unclosed arrays would be searched to the end
        let isFew = searchedCount <= window.bytes.count
        try scanner.skipValue(upTo: isFew ? .max : JSONScanner.maximumDepth)
        return text
      } catch {
        searchedCount += error.offset - text
        let stop = window.bytes[text...].firstIndex(of: mark)
        // its end is not buffered: its first members tell the format, and only it is rejected
        if stop == nil, !window.isAtEnd { return text }
        start = (stop ?? window.bytes.count) + 1
      }
    }
    throw FeedFault("not a feed: no text of the sequence is JSON", at: window.offset)
  }

  /// Whether the text that starts here is the only one of the feed.
  static func isAlone(in window: FeedWindow) -> Bool {
    guard window.isAtEnd else { return false }
    var scanner = JSONScanner(window.bytes, range: window.position..<window.bytes.count)
    guard (try? scanner.skipValue()) != nil else { return false }
    return scanner.bytes[scanner.position...].allSatisfy { [0x20, 9, 10, 13, 0x1E].contains($0) }
  }

  /// Whether a record separator follows the text that starts here.
  static func separatorFollows(in window: FeedWindow) -> Bool {
    var scanner = JSONScanner(window.bytes, range: window.position..<window.bytes.count)
    guard (try? scanner.skipValue()) != nil else { return false }
    scanner.skipWhitespace()
    return scanner.next == 0x1E
  }

  /// Checks the reference system: GeoJSON of 2008 could name another one, whose numbers are not
  /// degrees.
  static func checkReferenceSystem(_ root: RootObject, in window: FeedWindow) throws {
    guard let range = root.range(of: "crs"), !root.isNull("crs") else { return }
    let name = root.text("crs.properties.name") ?? "that its crs describes"
    if let fault = referenceSystemFault(name) {
      throw FeedFault(fault, at: window.base + range.lowerBound)
    }
  }

  /// The problem of a reference system; nil if there is none.
  static func referenceSystemFault(_ name: String) -> String? {
    // EPSG 4979 and CRS84h have a height as well; a longer name cannot be one of those
    let parts = name.utf8.count < 200 ? name.lowercased().split { ":/#".contains($0) } : []
    switch parts.last {
    case "crs84", "crs84h": return nil
    case "4326", "4979": if parts.contains("epsg") { return nil }
    case "wgs84", "wgs 84": if parts.count == 1 { return nil }
    default: break
    }
    return
      "the reference system \(shortened(name)) is not WGS84 degrees; reproject it to EPSG:4326"
  }
}

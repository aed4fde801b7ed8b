/// Reads restaurant feeds: the Bottle Rocket lunch feed and GeoJSON.
///
/// The whole text is checked before its first record is used, so a broken feed gives nothing rather
/// than its first half. A bad record, on the other hand, never costs the good ones: it is left out
/// and listed with its place and the reason.
///
/// ```swift
/// let feed = try FeedReader(source: "lunch.json").read(bytes)
/// print(feed.restaurants.count, feed.rejected.count)  // 15 0
/// ```
public struct FeedReader: Sendable {
  /// Largest feed taken, in bytes.
  public static let maximumBytes = 256 << 20

  /// Largest record taken, in bytes of its text.
  public static let maximumRecordBytes = 1 << 20

  /// The source of records that do not name their own.
  public let source: String

  /// What errors call the feed: its path as it was given.
  public let name: String

  /// The format to read; nil recognises it by content.
  public let format: FeedFormat?

  /// Whether records that name their own source get this one all the same.
  public let overridesSource: Bool

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - source: The feed's file name or address.
  ///   - format: The format to read; nil recognises it by content.
  ///   - overridesSource: Whether records that geoq exported lose the source they name.
  ///   - name: What errors call the feed; nil for the source's name.
  public init(
    source: String,
    format: FeedFormat? = nil,
    overridesSource: Bool = false,
    name: String? = nil
  ) {
    self.source = source
    self.name = name ?? source
    self.format = format
    self.overridesSource = overridesSource
  }

  /// Reads a feed.
  ///
  /// - Parameter bytes: The text: UTF-8, with or without a byte order mark.
  /// - Returns: The accepted records in the feed's order, and what was rejected.
  /// - Throws: `FeedError` where the text is no feed: empty, markup, broken JSON, nested too deep, not
  ///   UTF-8, of an unknown shape, or of a kind that geoq knows but does not read.
  /// - Complexity: O(n) in the number of bytes.
  public func read(_ bytes: [UInt8]) throws -> Feed {
    do {
      return try records(of: bytes)
    } catch {
      throw described(error, in: bytes)
    }
  }

  private func records(of bytes: [UInt8]) throws(FeedFault) -> Feed {
    guard bytes.count <= Self.maximumBytes else {
      throw FeedFault("the feed is larger than \(Self.maximumBytes >> 20) MiB")
    }
    let layout = try FeedLayout(bytes, start: FeedText(bytes).start, format: format)
    var collector = RecordCollector(reader: self, layout: layout, bytes: bytes)
    for record in layout.records { collector.add(record) }
    return collector.feed
  }

  private func described(_ fault: FeedFault, in bytes: [UInt8]) -> FeedError {
    guard let offset = fault.offset else {
      return FeedError(source: name, problem: fault.problem)
    }
    var lines = LineCounter(bytes)
    return FeedError(
      source: name,
      line: lines.line(at: offset),
      byte: offset,
      problem: fault.problem
    )
  }
}

/// Counts lines forward through a text: asking at rising offsets costs one pass in all.
struct LineCounter {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The line of a byte, from 1.
  ///
  /// Offsets must not fall from call to call.
  mutating func line(at target: Int) -> Int {
    while offset < min(target, bytes.count) {
      if bytes[offset] == 0x0A { line += 1 }
      offset += 1
    }
    return line
  }
}

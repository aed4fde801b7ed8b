import GeoQuery

/// Reads restaurant feeds of the formats in `FeedFormat`, packed with gzip or not.
///
/// A bad record never costs the good ones: it is left out and listed with its place and the reason. A
/// broken feed gives nothing rather than its first half.
///
/// ```swift
/// let feed = try FeedReader(source: "lunch.json").read(bytes)
/// print(feed.restaurants.count, feed.rejected.count)  // 15 0
/// ```
public struct FeedReader: Sendable {
  /// Largest feed taken from memory, in bytes.
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

  /// Which columns or members hold what, in tables, JSON lines and GeoJSON of no special format.
  public var columns = ColumnNames()

  /// How tables are cut, if their text does not show it.
  public var table = TableLayout()

  /// The encoding of the feed.
  public var encoding = TextEncoding.utf8

  /// The scale of ratings that name none; nil if nothing is known of it.
  public var ratingScale: Double?

  /// Whether the point 0, 0 is a position; it is what programs write if they have none.
  public var allowsNullIsland = false

  /// How many records are read, accepted or not; nil reads all.
  ///
  /// What follows is not looked at.
  public var recordLimit: Int?

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

  /// What it says about how records are read, besides the format that is found.
  var manner: [String] {
    let names = columns.names.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
    let others = ["\(allowsNullIsland)", "\(ratingScale ?? 0)"]
    return [source, columns.point ?? ""] + others + names
  }

  /// Whether the feed's name has the ending of a table.
  var isNamedAsTable: Bool {
    var parts = name.lowercased().split(separator: ".")
    if parts.last == "gz" { parts.removeLast() }
    return parts.count > 1 && parts.last.map { ["csv", "tsv", "tab", "psv"].contains($0) } == true
  }

  /// Opens a feed and recognises its format.
  ///
  /// - Parameter bytes: The feed: text in the reader's encoding, or that in gzip.
  /// - Returns: Its records, to be read one by one; memory does not grow with the feed.
  /// - Throws: `FeedError` where it is no feed: empty, markup, broken, not UTF-8, of an unknown shape,
  ///   or of a kind that geoq knows but does not read.
  public func stream(_ bytes: any ByteSource) throws -> FeedStream {
    try FeedStream(bytes, options: self)
  }

  /// Reads a feed that is in memory.
  ///
  /// - Parameter bytes: The feed, as for `stream`.
  /// - Returns: The accepted records in the feed's order, and what was rejected.
  /// - Throws: `FeedError` where the text is no feed: empty, markup, broken JSON, nested too deep, not
  ///   UTF-8, of an unknown shape, or of a kind that geoq knows but does not read.
  /// - Complexity: O(n) in the number of bytes.
  public func read(_ bytes: [UInt8]) throws -> Feed {
    guard bytes.count <= Self.maximumBytes else {
      throw FeedError(
        source: name,
        problem: "the feed is larger than \(Self.maximumBytes >> 20) MiB"
      )
    }
    return try read(from: MemoryBytes(bytes))
  }

  /// Reads a whole feed and keeps its records in memory.
  ///
  /// - Parameters:
  ///   - bytes: The feed, as for `stream`.
  ///   - reject: Given each record that is left out, with the bytes of its text.
  /// - Returns: The accepted records in the feed's order, and what was rejected. Of two records with
  ///   one id the first stays.
  /// - Throws: `FeedError` as `stream` and `FeedStream.next` do, and what `reject` throws.
  public func read(
    from bytes: any ByteSource,
    reject: (FeedError, [UInt8]) throws -> Void = { _, _ in }
  ) throws -> Feed {
    var stream = try stream(bytes)
    var feed = Feed(source: source, name: name, format: stream.format)
    var ids = UniqueIDs()
    while let entry = try stream.next() {
      switch entry {
      case .accepted(let record):
        if let error = ids.add(record) {
          feed.rejected.append(error)
          try reject(error, stream.recordText)
        } else {
          feed.restaurants.append(record.restaurant)
          feed.recordNumbers.append(record.place.record)
          feed.warnings += record.warnings
        }
      case .rejected(let error):
        feed.rejected.append(error)
        try reject(error, stream.recordText)
      }
    }
    return feed
  }
}

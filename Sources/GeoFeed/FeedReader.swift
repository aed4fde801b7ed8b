import GeoQuery

/// Reads restaurant feeds in the formats of `FeedFormat`, compressed with gzip or not.
///
/// A bad record does not affect the others: it is rejected and reported with its place and the
/// reason. A broken feed is rejected entirely.
///
/// ```swift
/// let feed = try FeedReader(source: "lunch.json").read(bytes)
/// print(feed.restaurants.count, feed.rejected.count)  // 15 0
/// ```
public struct FeedReader: Sendable {
  /// The maximum size of a feed in memory, in bytes.
  public static let maximumBytes = 256 << 20

  /// The maximum size of a record's text, in bytes.
  public static let maximumRecordBytes = 1 << 20

  /// The source of records that do not name their own.
  public let source: String

  /// The name of the feed in errors: its path, its address, or `standard input`; the source's name by
  /// default.
  public let name: String

  /// The format to read; nil recognizes it by content.
  public let format: FeedFormat?

  /// Whether records that name another source get this one too.
  public let overridesSource: Bool

  /// The columns or members for the keys of the record, in tables, JSON lines and general GeoJSON.
  public var columns = ChosenColumns()

  /// The layout of tables, if their text does not show it.
  public var table = TableLayout()

  /// The encoding of the feed.
  public var encoding = TextEncoding.utf8

  /// The scale of ratings without one; nil if it is unknown.
  public var ratingScale: Double?

  /// Whether the point 0, 0 is accepted as a position; programs write it if they have none.
  public var allowsNullIsland = false

  /// Whether a feed that says it is only a part of the records is read all the same.
  public var allowsPart = false

  /// The maximum number of records read, whether accepted or not; nil for no limit.
  ///
  /// What follows is not checked.
  public var recordLimit: Int?

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - source: The feed's file name or address.
  ///   - format: The format to read; nil recognizes it by content.
  ///   - overridesSource: Whether records that geoq exported get this source instead of their own.
  ///   - name: The name of the feed in errors; nil for the source's name.
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

  /// The settings that affect how records are read, in addition to the format.
  var manner: [String] {
    let names = columns.names.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
    let others = ["\(allowsNullIsland)", "\(ratingScale ?? 0)"]
    return [source, columns.point ?? ""] + others + names
  }

  /// Whether the feed's name has the extension of a table.
  var isNamedAsTable: Bool {
    var parts = name.lowercased().split(separator: ".")
    if parts.last == "gz" { parts.removeLast() }
    return parts.count > 1 && parts.last.map { ["csv", "tsv", "tab", "psv"].contains($0) } == true
  }

  /// Opens a feed and recognizes its format.
  ///
  /// - Parameter bytes: The feed: text in the reader's encoding, possibly compressed with gzip.
  /// - Returns: Its records, which are read one by one; memory does not grow with the feed.
  /// - Throws: `FeedError` if it is not a feed: empty, markup, broken, not UTF-8, of an unknown shape,
  ///   or of a kind that geoq recognizes but does not read.
  public func stream(_ bytes: any ByteSource) throws -> FeedStream {
    try FeedStream(bytes, options: self)
  }

  /// Reads a feed in memory.
  ///
  /// - Parameter bytes: The feed, as for `stream`.
  /// - Returns: The accepted records in the feed's order, and the errors of the rejected ones.
  /// - Throws: `FeedError` if the text is not a feed: empty, markup, broken JSON, nested too
  ///   deeply, not
  ///   UTF-8, of an unknown shape, or of a kind that geoq recognizes but does not read.
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
  ///   - reject: Called for each rejected record, with the bytes of its text.
  /// - Returns: The accepted records in the feed's order, and the errors of the rejected ones. Of
  ///   two records with one id, the first is accepted.
  /// - Throws: `FeedError` as `stream` and `FeedStream.next` do, and errors of `reject`.
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

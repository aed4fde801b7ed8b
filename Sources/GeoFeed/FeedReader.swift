import GeoIndex
public import GeoQuery

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

  /// The order of two numbers in one value; nil for the usual one, or the only one that is possible.
  public var pairOrder: PairOrder?

  /// Whether the records are points, which need no name, and whose cells are kept as they are.
  var readsPoints = false

  /// Whether a feed that says it is only a part of the records is read all the same.
  public var allowsPart = false

  /// The maximum number of records read, whether accepted or not; nil for no limit.
  ///
  /// What follows is not checked.
  public var recordLimit: Int?

  /// Makes a reader; the parameters are the properties, and without a name it is the source's.
  public init(
    source: String,
    format: FeedFormat? = nil,
    overridesSource: Bool = false,
    name: String? = nil
  ) {
    (self.source, self.name) = (source, name ?? source)
    (self.format, self.overridesSource) = (format, overridesSource)
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
  /// - Returns: The accepted records in the feed's order, and the errors of the rejected ones. Of
  ///   two records with one id, the first is accepted.
  /// - Throws: `FeedError` as `stream` and `FeedStream.next` do.
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

  func read(from bytes: any ByteSource) throws -> Feed {
    var stream = try stream(bytes)
    var feed = Feed(source: source, name: name, format: stream.format)
    var ids = UniqueIDs()
    while let entry = try stream.next() {
      switch entry {
      case .accepted(var record):
        if let error = ids.add(&record) {
          feed.rejected.append(error)
        } else {
          feed.restaurants.append(record.restaurant)
          feed.recordNumbers.append(record.place.record)
          feed.derivesID.append(record.derivesID)
          feed.warnings += record.warnings
        }
      case .rejected(let error): feed.rejected.append(error)
      }
    }
    return feed
  }
}

/// The columns or members for the keys of the record, if their names do not tell.
///
/// Names are compared without case, blanks and separators between words; one column may be used for
/// several keys. A number is the position of a column, from 1, unless a column has that name.
public struct ChosenColumns: Sendable, Hashable {
  /// The name of the column for a key.
  public var names: [RestaurantField: String] = [:]

  /// The column with positions as WKT: `POINT(-96.82 32.95)`.
  public var point: String?

  /// Makes an empty list, so that the names of the columns decide.
  public init() {}

  /// Whether no column is named.
  public var isEmpty: Bool { names.isEmpty && point == nil }

  /// All given names, in order of their bytes.
  var all: [String] {
    let keys = names.values.sorted { UTF8Key($0) < UTF8Key($1) }
    return keys + [point].compactMap(\.self)
  }

  /// Why they cannot be used with a format; nil if they can.
  func problem(for format: FeedFormat) -> String? {
    if isEmpty { return nil }
    switch format {
    case .csv, .tsv, .jsonl: return nil
    case .geojson, .geojsonseq:
      let isPosition = point != nil || names[.latitude] != nil || names[.longitude] != nil
      return isPosition
        ? "GeoJSON has positions in its geometry; \(Remedy.noPositionColumns)"
        : nil
    default:
      return
        "this looks like \(format.rawValue), whose names are known; omit the names of "
        + "columns, \(Remedy.asFormat) \(format == .fsqOS ? "csv or jsonl" : "jsonl")"
    }
  }
}

/// How a table is divided into cells, if its text does not show it.
public struct TableLayout: Sendable, Hashable {
  /// Where the names of the columns are.
  public enum Header: Sendable, Hashable {
    /// In the first line.
    case firstLine
    /// There are none: every line is a record, and the columns are `column 1`, `column 2` and so
    /// on.
    case missing
    /// They are given, and every line is a record.
    case names([String])
  }

  /// The byte between two cells; nil to recognize it.
  public var delimiter: UInt8?

  /// Where the names of the columns are.
  public var header = Header.firstLine

  /// Makes the default layout, which is recognized from the text.
  public init() {}

  /// Whether anything is set, so that the feed must be a table.
  var isStated: Bool { self != TableLayout() }
}

/// The ids of one feed so far: of two records with one id, the first is accepted.
///
/// Ids are compared as UTF-8 bytes. A derived id that another record has at another position gets a
/// suffix from the position.
struct UniqueIDs {
  private var records: [UTF8Key: (record: Int, place: Coordinate)] = [:]

  /// Adds the id of a record, which may change.
  ///
  /// - Returns: An error that names both records if an earlier one has the same id.
  mutating func add(_ record: inout FeedRecord) -> FeedError? {
    let place = record.restaurant.coordinate
    var id = record.restaurant.id
    if record.derivesID, let first = records[UTF8Key(id)],
      placeNumber(of: first.place) != placeNumber(of: place)
    {
      id = branchID(of: id, at: place)
    }
    if let first = records[UTF8Key(id)] {
      return record.place.repetition(of: id, in: first.record, isDerived: record.derivesID)
    }
    record.restaurant.id = id
    records[UTF8Key(id)] = (record.place.record, place)
    return nil
  }
}

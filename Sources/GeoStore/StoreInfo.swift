public import GeoFeed
public import GeoIndex
public import GeoQuery

/// A summary of a store's contents, for people and scripts.
public struct StoreInfo: Sendable {
  /// A name with a number of restaurants.
  public struct Count: Sendable, Hashable {
    /// A category; empty for restaurants without one.
    public let name: String

    /// The number of restaurants.
    public let count: Int
  }

  /// One source of restaurants, chains or offers.
  public struct Source: Sendable, Hashable {
    /// The source's name.
    public let name: String

    /// The kind of its records.
    public let content: FeedContent

    /// The number of its records.
    public let count: Int

    /// The time when an import last changed it, in UTC; nil for sources that came in another
    /// source's feed.
    public let importedAt: String?

    /// The address it was fetched from; nil for files.
    public let address: String?

    /// The records rejected by its last import; nil if there were none.
    public let rejections: Rejections?

    /// Who is to be named, and the license.
    public let credit: Credit
  }

  /// Records rejected by an import.
  public struct Rejections: Sendable, Hashable {
    /// The number of records.
    public let count: Int

    /// The reasons, the most frequent first: at most 5.
    public let reasons: [Count]
  }

  /// The snapshot's file.
  public struct SnapshotFile: Sendable, Hashable {
    /// The file.
    public let path: String

    /// Its size in bytes.
    public let bytes: Int
  }

  /// The database file.
  public let path: String

  /// The file's size in bytes.
  public let bytes: Int

  /// The snapshot of this generation; nil if it cannot be written.
  public let snapshot: SnapshotFile?

  /// The id of the store.
  public let storeID: String

  /// Counts the changes of restaurants, by imports and by edits.
  public let generation: Int

  /// The version of the tables.
  public let schemaVersion: Int

  /// The time when an import last changed a source, in UTC.
  public let importedAt: String?

  /// The number of restaurants.
  public let count: Int

  /// The smallest box around all restaurants; nil if there are none.
  ///
  /// It crosses the antimeridian if that makes it narrower.
  public let extent: BoundingBox?

  /// Categories, the largest first, ties by name.
  public let categories: [Count]

  /// The number of chains.
  public let chainCount: Int

  /// The number of offers.
  public let offerCount: Int

  /// Counts the changes of chains and offers.
  public let offersRevision: Int

  /// Sources by name.
  public let sources: [Source]
}

extension StoreInfo {
  /// Sources by name, and by kind of record if names are equal.
  static func sorted(_ sources: [Source]) -> [Source] {
    sources.sorted { (UTF8Key($0.name), $0.content.order) < (UTF8Key($1.name), $1.content.order) }
  }
}

extension StoreInfo.Rejections {
  /// The most frequent reasons; nil if there are none.
  init?(_ problems: ProblemGroups) {
    guard problems.count > 0 else { return nil }
    count = problems.count
    reasons = problems.groups.enumerated()
      .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .prefix(5)
      .map { .init(name: shortened($0.element.first.problem, to: 200), count: $0.element.count) }
  }

  /// Parses the result of `text`; nil for anything else.
  init?(text: String) {
    guard let value = try? JSONValue(parsing: Array(text.utf8)),
      case .number(let count)? = value[name: "count"], let count = Int(count),
      case .object(let reasons)? = value[name: "reasons"]
    else { return nil }
    self.count = count
    self.reasons = reasons.compactMap { reason in
      reason.value.asText.flatMap(Int.init).map { .init(name: reason.name, count: $0) }
    }
  }

  /// As JSON.
  var text: String {
    func number(_ value: Int) -> JSONValue { .number(String(value)) }
    let reasons = reasons.map { JSONMember(name: $0.name, value: number($0.count)) }
    return JSONValue.object([
      JSONMember(name: "count", value: number(count)),
      JSONMember(name: "reasons", value: .object(reasons)),
    ]).description
  }
}

extension RestaurantStore {
  /// Summarizes the store's contents.
  ///
  /// - Parameter notice: Called with the reason why the snapshot next to the database is not used.
  /// - Returns: The summary of the current generation.
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(n) for n restaurants, a few milliseconds for a million.
  public func info(notice: (String) -> Void = { _ in }) throws -> StoreInfo {
    try (self as any Store).info(notice: notice)
  }
}

extension Store {
  /// A summary of the store's contents, as `RestaurantStore.info`.
  package func info(notice: (String) -> Void = { _ in }) throws -> StoreInfo {
    let engine = QueryEngine(try snapshot(notice: notice))
    let snapshot = engine.snapshot
    let everything = Query(.everywhere)
    let file = snapshotPath(of: snapshot.generation)
    let bytes = try size()
    return try read(isPrompt: false) { connection in
      let restaurants = try engine.facets(by: .source, of: everything).compactMap { facet in
        try facet.value.map { name in
          let row = try connection.source(name, .restaurants)
          return StoreInfo.Source(name, .restaurants, count: facet.count, row)
        }
      }
      return StoreInfo(
        path: path,
        bytes: bytes,
        snapshot: StoreFile(path: file).size.map { .init(path: file, bytes: $0) },
        storeID: try connection.storeID().text,
        generation: snapshot.generation,
        schemaVersion: try connection.schemaVersion(),
        importedAt: try connection.lastImport(),
        count: snapshot.count,
        extent: snapshot.extent,
        categories: try engine.facets(by: .category, of: everything)
          .map { StoreInfo.Count(name: $0.value ?? "", count: $0.count) },
        chainCount: try connection.number("SELECT count(*) FROM chains"),
        offerCount: try connection.number("SELECT count(*) FROM offers"),
        offersRevision: try connection.offersRevision(),
        sources: StoreInfo.sorted(try restaurants + connection.offerSources())
      )
    }
  }
}

extension StoreConnection {
  /// The time when an import last changed a source.
  fileprivate func lastImport() throws -> String? {
    try fetch(#"SELECT max("importedAt") FROM geoq_sources"#) { $0.text(0) }.first ?? nil
  }

  fileprivate func offerSources() throws -> [StoreInfo.Source] {
    try [FeedContent.chains, .offers].flatMap { content in
      let sql = "SELECT source, count(*) FROM \(content.rawValue) GROUP BY source"
      let counts = try fetch(sql) { ($0.text(0), Int($0.integer(1) ?? 0)) }
      return try counts.compactMap { name, count in
        try name.map { name in
          StoreInfo.Source(name, content, count: count, try source(name, content))
        }
      }
    }
  }
}

extension StoreInfo.Source {
  /// A source by its row; nil for sources that came in another source's feed.
  init(_ name: String, _ content: FeedContent, count: Int, _ row: SourceRow?) {
    self.init(
      name: name,
      content: content,
      count: count,
      importedAt: row?.importedAt,
      address: row?.origin?.address,
      rejections: row?.rejections.flatMap(StoreInfo.Rejections.init(text:)),
      credit: row?.credit ?? Credit()
    )
  }
}

extension FeedContent {
  /// Its position in the order of kinds.
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

import Foundation
import GRDB
public import GeoFeed
public import GeoIndex
import GeoQuery

/// What a store holds, for people and scripts.
public struct StoreInfo: Sendable {
  /// One name with a number of restaurants.
  public struct Count: Sendable, Hashable {
    /// A category; empty for restaurants without one.
    public let name: String

    /// How many restaurants.
    public let count: Int
  }

  /// One source of restaurants, chains or offers.
  public struct Source: Sendable, Hashable {
    /// The source's name.
    public let name: String

    /// What it has.
    public let content: FeedContent

    /// How many of them.
    public let count: Int

    /// When an import last changed it, in UTC; nil for sources that came inside another feed.
    public let importedAt: String?

    /// Where it was fetched; nil for files.
    public let address: String?

    /// What its last import rejected; nil if that was nothing.
    public let rejections: Rejections?
  }

  /// What an import rejected.
  public struct Rejections: Sendable, Hashable {
    /// How many records.
    public let count: Int

    /// The reasons, the most frequent first: at most 5.
    public let reasons: [Count]
  }

  /// The index beside the database.
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

  /// The snapshot of this generation; nil where there is none, until the next query makes it.
  public let snapshot: SnapshotFile?

  /// The id that the store got when it was made.
  public let storeID: String

  /// Counts the imports that changed something.
  public let generation: Int

  /// The version of the tables.
  public let schemaVersion: Int

  /// When an import last changed something, in UTC.
  public let importedAt: String?

  /// How many restaurants there are.
  public let count: Int

  /// The smallest box around all of them, by the smallest arc; nil where there are none.
  public let extent: BoundingBox?

  /// Categories, the largest first, ties by name.
  public let categories: [Count]

  /// How many chains there are.
  public let chainCount: Int

  /// How many offers there are.
  public let offerCount: Int

  /// Counts the changes of chains and offers.
  public let offersRevision: Int

  /// Sources by name.
  public let sources: [Source]
}

extension StoreInfo.Rejections {
  /// The most frequent reasons; nil if there is none.
  init?(_ problems: ProblemGroups) {
    guard problems.count > 0 else { return nil }
    count = problems.count
    reasons = problems.groups.enumerated()
      .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .prefix(5)
      .map { .init(name: shortened($0.element.first.problem, to: 200), count: $0.element.count) }
  }

  /// Reads what `text` wrote; nil for anything else.
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
  /// Gathers what the store holds.
  ///
  /// - Parameter notice: Hears why the snapshot beside the database is not used.
  /// - Returns: What the current generation holds.
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(n) for n restaurants, a few milliseconds for a million.
  public func info(notice: (String) -> Void = { _ in }) throws -> StoreInfo {
    let engine = QueryEngine(try snapshot(notice: notice))
    let snapshot = engine.snapshot
    let everything = Query(.everywhere)
    return try readDatabase { db in
      let file = SnapshotFiles(database: path).path(of: snapshot.generation)
      return StoreInfo(
        path: path,
        bytes: Self.size(of: path) ?? 0,
        snapshot: Self.size(of: file).map { .init(path: file, bytes: $0) },
        storeID: try String.fetchOne(db, sql: "SELECT storeID FROM geoq_store") ?? "",
        generation: snapshot.generation,
        schemaVersion: try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
        importedAt: try String.fetchOne(db, sql: "SELECT max(importedAt) FROM geoq_sources"),
        count: snapshot.count,
        extent: snapshot.extent,
        categories: try engine.facets(by: .category, of: everything)
          .map { StoreInfo.Count(name: $0.value ?? "", count: $0.count) },
        chainCount: try Int.fetchOne(db, sql: "SELECT count(*) FROM chains") ?? 0,
        offerCount: try Int.fetchOne(db, sql: "SELECT count(*) FROM offers") ?? 0,
        offersRevision: try StoreReader(db, path: path).offersRevision(),
        sources: try
          (engine.facets(by: .source, of: everything)
          .compactMap { facet in try facet.value.map { try Self.source($0, facet.count, db) } }
          + Self.offerSources(db))
          .sorted {
            (ByteKey($0.name), $0.content.order) < (ByteKey($1.name), $1.content.order)
          }
      )
    }
  }

  private static func offerSources(_ db: Database) throws -> [StoreInfo.Source] {
    try [FeedContent.chains, .offers].flatMap { content in
      try Row.fetchAll(db, sql: "SELECT source, count(*) FROM \(content.rawValue) GROUP BY source")
        .compactMap { row in
          guard let name = String.fromDatabaseValue(row[0]),
            let count = Int.fromDatabaseValue(row[1])
          else { return nil }
          return try source(name, count, db, content)
        }
    }
  }

  private static func size(of path: String) -> Int? {
    try? FileManager.default.attributesOfItem(atPath: pathBehindLinks(path))[.size] as? Int
  }

  private static func source(
    _ name: String,
    _ count: Int,
    _ db: Database,
    _ content: FeedContent = .restaurants
  ) throws -> StoreInfo.Source {
    let row = try SourceRow(db, name: name, content: content)
    return StoreInfo.Source(
      name: name,
      content: content,
      count: count,
      importedAt: row?.importedAt,
      address: row?.origin?.address,
      rejections: row?.rejections.flatMap(StoreInfo.Rejections.init(text:))
    )
  }
}

extension FeedContent {
  /// Its place among the contents of one source.
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

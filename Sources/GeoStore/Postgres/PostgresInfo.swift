import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

extension PostgresStore {
  package func info(notice: (String) -> Void) throws -> StoreInfo {
    let engine = QueryEngine(try snapshot(notice: notice))
    let snapshot = engine.snapshot
    let everything = Query(.everywhere)
    return try withConnection { connection in
      let sources = PostgresSources(connection)
      let file = snapshots.path(of: snapshot.generation)
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
      let source = { (name: String, content: FeedContent, count: Int) in
        StoreInfo.Source(name, content, count: count, try sources.row(of: name, content))
      }
      let restaurants = try engine.facets(by: .source, of: everything).compactMap { facet in
        try facet.value.map { try source($0, .restaurants, facet.count) }
      }
      let others = try [FeedContent.chains, .offers].flatMap { content in
        try connection.rows(
          "SELECT source, count(*) FROM \(content.rawValue) GROUP BY source"
        ).map { row in try source(row.text(0) ?? "", content, Int(row.integer(1) ?? 0)) }
      }
      return StoreInfo(
        path: path,
        bytes: try connection.integer(Self.size, [address.schema]),
        snapshot: (size ?? nil).map { .init(path: file, bytes: $0) },
        storeID: storeID.text,
        generation: snapshot.generation,
        schemaVersion: PostgresSchema.version,
        importedAt: try connection.rows("SELECT max(\"importedAt\") FROM geoq_sources")
          .first { $0.text(0) } ?? nil,
        count: snapshot.count,
        extent: snapshot.extent,
        categories: try engine.facets(by: .category, of: everything)
          .map { StoreInfo.Count(name: $0.value ?? "", count: $0.count) },
        chainCount: try connection.integer("SELECT count(*) FROM chains"),
        offerCount: try connection.integer("SELECT count(*) FROM offers"),
        offersRevision: try connection.offersRevision(),
        sources: StoreInfo.sorted(restaurants + others)
      )
    }
  }

  /// The size of the tables with their indexes in bytes.
  private static let size = """
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::text AND c.relkind = 'r'
    """
}

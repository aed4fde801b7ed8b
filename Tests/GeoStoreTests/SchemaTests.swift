import Foundation
import GRDB
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct SchemaTests {
  @Test func `a new database is SpatiaLite's and geoq's`() throws {
    let store = try TemporaryStore([.plain("a")])
    try store.sql { db in
      #expect(try Int.fetchOne(db, sql: "SELECT CheckSpatialMetaData()") == 3)
      #expect(try Int32.fetchOne(db, sql: "PRAGMA application_id") == 0x6765_6F71)
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == Schema.version)
      let geometry = try #require(
        try Row.fetchOne(
          db,
          sql: """
            SELECT f_geometry_column, geometry_type, coord_dimension, srid, spatial_index_enabled
            FROM geometry_columns WHERE f_table_name = 'restaurants'
            """
        )
      )
      #expect(geometry[0] == "geom")
      #expect(
        Array(geometry.databaseValues.dropFirst()).map(Int.fromDatabaseValue) == [1, 2, 4_326, 1]
      )
      #expect(try Int.fetchOne(db, sql: "SELECT CheckSpatialIndex('restaurants', 'geom')") == 1)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM idx_restaurants_geom") == 1)
      let srids = try Int.fetchAll(db, sql: "SELECT srid FROM spatial_ref_sys WHERE srid = 4326")
      #expect(srids == [4_326])
    }
    #expect([UInt8](store.bytes[68..<72]) == Array("geoq".utf8))
  }

  @Test func `no KNN table is left that other versions of SpatiaLite could not open`() throws {
    let store = try TemporaryStore([.plain("a")])
    try store.sql { db in
      let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
      #expect(names.contains("restaurants"))
      #expect(!names.contains { $0.uppercased().hasPrefix("KNN") })
    }
  }

  @Test func `the columns are the flat keys in their order`() throws {
    let store = try TemporaryStore([.plain("a")])
    let columns = try store.sql { try $0.columns(in: "restaurants").map(\.name) }
    let keys = RestaurantField.stored.map(\.rawValue)
    #expect(columns == ["pk"] + keys + ["geom"])
  }

  @Test(arguments: [
    ("latitude", "95"), ("latitude", "-90.0000001"), ("latitude", "9e999"), ("latitude", "-9e999"),
    ("latitude", "9e999 - 9e999"), ("latitude", "NULL"), ("latitude", "'north'"),
    ("longitude", "180.0000001"), ("longitude", "9e999"), ("longitude", "NULL"),
    ("name", "''"), ("name", "NULL"), ("priceLevel", "0"), ("priceLevel", "5"), ("closed", "0"),
    ("source", "NULL"), ("id", "NULL"), ("id", "'a'"), ("geom", "NULL"),
    ("geom", "MakePoint(1, 2, 3857)"), ("geom", "x'00'"),
  ])
  func `the table refuses what geoq would never write`(_ column: String, _ value: String) throws {
    let store = try TemporaryStore([.plain("a")])
    var values = [
      "id": "'b'", "name": "'B'", "latitude": "1", "longitude": "2", "source": "'s'",
      "geom": "MakePoint(2, 1, 4326)",
    ]
    func insert() throws {
      let names = values.keys.sorted()
      let list = names.compactMap { values[$0] }.joined(separator: ", ")
      let sql = "INSERT INTO restaurants (\(names.joined(separator: ", "))) VALUES (\(list))"
      try store.sql { try $0.execute(sql: sql) }
    }
    let good = values
    values[column] = value
    #expect(throws: DatabaseError.self) { try insert() }
    values = good
    try insert()
    #expect(try store.open().count() == 2)
  }

  @Test func `a closed restaurant is 1 and an open one NULL`() throws {
    var closed = Restaurant.plain("a")
    closed.closed = true
    let store = try TemporaryStore([closed, .plain("b")])
    let values = try store.sql {
      try Int?.fetchAll($0, sql: "SELECT closed FROM restaurants ORDER BY id")
    }
    #expect(values == [1, nil])
  }
}

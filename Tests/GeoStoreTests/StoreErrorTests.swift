import Foundation
import GRDB
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct StoreErrorTests {
  @Test(arguments: [
    (
      ResultCode.SQLITE_NOTADB, StoreError.Kind.foreign,
      "not a geoq database; choose another file (SQLite 26: said)"
    ),
    (
      .SQLITE_CORRUPT, .corrupt,
      "the database is damaged; import its feeds into a new file (SQLite 11: said)"
    ),
    (
      .SQLITE_BUSY, .busy,
      "another process is writing to the database; try again (SQLite 5: said)"
    ),
    (
      .SQLITE_LOCKED, .busy,
      "another process is writing to the database; try again (SQLite 6: said)"
    ),
    (
      .SQLITE_READONLY, .permission,
      "the database or its folder cannot be written (SQLite 8: said)"
    ),
    (.SQLITE_PERM, .permission, "the database or its folder cannot be written (SQLite 3: said)"),
    (.SQLITE_AUTH, .permission, "the database or its folder cannot be written (SQLite 23: said)"),
    (
      .SQLITE_FULL, .inputOutput,
      "no space left for the database; nothing was changed (SQLite 13: said)"
    ),
    (.SQLITE_IOERR, .inputOutput, "reading or writing the database failed (SQLite 10: said)"),
    (
      .SQLITE_CANTOPEN, .unavailable,
      "the database or a file next to it cannot be opened; check the folder (SQLite 14: said)"
    ),
    (
      .SQLITE_ERROR, .corrupt,
      "the database refused a statement; check the database (SQLite 1: said)"
    ),
  ])
  func `SQLite's result codes become a kind and advice`(
    _ code: ResultCode,
    _ kind: StoreError.Kind,
    _ message: String
  ) {
    let cause = DatabaseError(resultCode: code, message: "said", sql: "SELECT 1")
    let error = StoreError(cause, path: "lunch.db")
    #expect(error.kind == kind)
    #expect(error.description == "lunch.db: " + message)
  }

  @Test func `extended codes count as their kind and are shown`() {
    let error = StoreError(DatabaseError(resultCode: .SQLITE_IOERR_FSYNC, message: nil), path: "a")
    #expect(error.kind == .inputOutput)
    #expect(
      error.description
        == "a: reading or writing the database failed (SQLite 1034: disk I/O error)"
    )
  }

  @Test
  func `a second writer is told that the database is busy, and changes nothing`() async throws {
    let store = try TemporaryStore([.plain("a")])
    let queue = try DatabaseQueue(path: store.path, configuration: .writing)
    let (error, seen) = try await onOwnThread {
      try queue.inDatabase { db in
        try db.execute(sql: "BEGIN IMMEDIATE")
        let error = store.error { try store.add(Feeds.of([.plain("a"), .plain("b")])) }
        // readers are not kept waiting
        let seen = try store.restaurants()
        try db.execute(sql: "ROLLBACK")
        return (error, seen)
      }
    }
    #expect(error?.kind == .busy)
    #expect(
      error?.description
        == "\(store.path): another process is writing to the database; try again "
        + "(SQLite 5: database is locked)"
    )
    #expect(seen == [.plain("a")])
    #expect(try store.restaurants() == [.plain("a")])
    try store.add(Feeds.of([.plain("a"), .plain("b")]))
    #expect(try store.restaurants() == [.plain("a"), .plain("b")])
  }
}

import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct StoreFileTests {
  /// What opening and importing say of the file at a store's path, and that neither touches it.
  private func errors(of store: TemporaryStore) throws -> [StoreError] {
    let bytes = store.bytes
    let names = store.names
    let found = [
      store.error { _ = try store.open() }, store.error { try store.add(Feeds.of([.plain("z")])) },
    ]
    #expect(store.bytes == bytes)
    #expect(store.names == names)
    return found.compactMap { $0 }
  }

  @Test func `a file that is missing or empty cannot be read, but imported into`() throws {
    let store = try TemporaryStore()
    let missing = store.error { _ = try store.open() }
    #expect(missing?.kind == .unavailable)
    #expect(
      missing?.description == "\(store.path): no such database; create it by an import"
    )
    #expect(store.names.isEmpty)
    try store.write(Data())
    let empty = store.error { _ = try store.open() }
    #expect(empty?.kind == .unavailable)
    #expect(
      empty?.description == "\(store.path): the database is empty; fill it by an import"
    )
    try store.add(Feeds.of([.plain("a")]))
    #expect(try store.restaurants() == [.plain("a")])
  }

  @Test(arguments: [
    ("lunch.db", "lunch.db"), ("~/lunch.db", "~/lunch.db"), ("~", "~"),
    ("./a/../~/lunch.db", "~/lunch.db"),
  ])
  func `a relative path is one below the working folder, also with a tilde`(
    path: String,
    below: String
  ) {
    let expected = FileManager.default.currentDirectoryPath + "/" + below
    #expect(StoreFile(path: path).resolvedPath == expected)
    #expect(ImportLock.path(of: path) == expected + ".lock")
  }

  @Test func `a folder is not a database`() throws {
    let store = try TemporaryStore()
    try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
    for error in try errors(of: store) {
      #expect(error.kind == .unavailable)
      #expect(error.description == "\(store.path): is a folder; a database is a file")
    }
    #expect(try errors(of: store).count == 2)
  }

  @Test(arguments: [
    Data("id,name\n".utf8), Data([0]), Data("SQLite format 3\0".utf8),
    Data(repeating: 0x20, count: 10_000),
  ])
  func `a file of another kind is left alone`(_ content: Data) throws {
    let store = try TemporaryStore()
    try store.write(content)
    let errors = try errors(of: store)
    #expect(errors.map(\.kind) == [.foreign, .foreign])
    #expect(
      Set(errors.map(\.description))
        == ["\(store.path): not a database; choose another file"]
    )
  }

  @Test func `the database of another program is left alone, whatever its name`() throws {
    for name in ["lunch.db", "lünch #1? 50%.db", "a b&c=d;e.db"] {
      let store = try TemporaryStore()
      let path = store.file(name)
      try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (x)") }
      let bytes = FileManager.default.contents(atPath: path)
      for action in [
        { _ = try RestaurantStore(path: path) },
        { _ = try RestaurantStore.importFeed(Feeds.of([.plain("a")]), into: path) },
      ] as [() throws -> Void] {
        let error = store.error(action)
        #expect(error?.kind == .foreign)
        #expect(
          error?.description
            == "\(path): a database of another program; choose another file"
        )
      }
      #expect(FileManager.default.contents(atPath: path) == bytes)
      #expect(store.names == [name])
    }
  }

  @Test func `a database made by a newer geoq is left alone`() throws {
    let store = try TemporaryStore([.plain("a")])
    try store.sql { try $0.execute(sql: "PRAGMA user_version = 99") }
    let errors = try errors(of: store)
    #expect(errors.map(\.kind) == [.newer, .newer])
    #expect(
      Set(errors.map(\.description)) == [
        "\(store.path): made by a newer geoq (schema 99, this one knows \(Schema.version)); update geoq"
      ]
    )
  }

  @Test func `a database that was cut is damaged`() throws {
    let store = try TemporaryStore([.plain("a")])
    try store.write(store.bytes.prefix(store.bytes.count / 2))
    let errors = try errors(of: store)
    #expect(errors.map(\.kind) == [.corrupt, .corrupt])
    #expect(
      Set(errors.map(\.description)) == [
        "\(store.path): the database is damaged; import its feeds into a new file "
          + "(SQLite 11: database disk image is malformed)"
      ]
    )
  }

  @Test func `an import into a database with flipped bytes is refused`() throws {
    let store = try TemporaryStore((0..<200).map { .plain("id-\($0)") })
    var bytes = store.bytes
    let row = try #require(bytes.range(of: Data("Name of id-100".utf8)))
    for offset in row.lowerBound - 400..<row.lowerBound { bytes[offset] ^= 0xFF }
    try store.write(bytes)
    let error = store.error { try store.add(Feeds.of([.plain("z")])) }
    #expect(error?.kind == .corrupt)
    #expect(error?.message.hasPrefix("the database is damaged") == true)
    #expect(error?.message.contains("import its feeds into a new file") == true)
    #expect(store.bytes == bytes)
  }

  @Test func `a failed first import leaves nothing, and the next one finds its way free`() throws {
    var nameless = Restaurant.plain("b")
    nameless.name = ""
    let store = try TemporaryStore()
    let error = store.error { try store.add(Feeds.of([.plain("a"), nameless])) }
    #expect(error?.kind == .corrupt)
    #expect(
      error?.description
        == "\(store.path): the database refused a statement; check the database "
        + "(SQLite 275: CHECK constraint failed: name <> '')"
    )
    #expect(store.names.isEmpty && store.snapshots.isEmpty)
    #expect(try store.add(Feeds.of([.plain("a")])).inserted == 1)
  }

  @Test func `a database in a folder that is not there cannot be made`() throws {
    let store = try TemporaryStore()
    let path = store.file("none/lunch.db")
    let error = store.error {
      _ = try RestaurantStore.importFeed(Feeds.of([.plain("a")]), into: path)
    }
    #expect(error?.kind == .unavailable)
    #expect(
      error?.description
        == "\(path): the folder does not exist; create it first"
    )
    #expect(store.names.isEmpty)
  }

  /// The mode bits of a folder do not bind the superuser.
  @Test(.enabled(if: geteuid() != 0))
  func `a folder that cannot be written is read, and nothing is left in it`() throws {
    let store = try TemporaryStore([.plain("a")])
    let bytes = store.bytes
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o555],
      ofItemAtPath: store.folder.path
    )
    defer {
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: store.folder.path
      )
    }
    #expect(try store.restaurants() == [.plain("a")])
    #expect(store.error { try store.add(Feeds.of([.plain("b")])) }?.kind == .permission)
    #expect(store.bytes == bytes)
    #expect(store.names == ["lunch.db"])
  }

  @Test func `a database can be read as immutable, without side files`() throws {
    let store = try TemporaryStore([.plain("a")])
    let queue = try DatabaseQueue(
      path: "file:\(store.path)?immutable=1",
      configuration: .reading
    )
    let found = try queue.read { try SQLiteConnection($0, path: store.path).count() }
    #expect(found == 1)
    #expect(store.names == ["lunch.db"])
  }
}

import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// What only PostgreSQL has, or both kinds together: runs with `make postgis-test`.
///
/// One after the other: a test ends connections of the whole server.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, "make postgis-test starts a server"))
struct PostgresStoreTests {
  private func snapshotBytes(_ store: ScratchStore) throws -> [UInt8] {
    let file = store.folder.file("fixed.geoqx")
    let state = StoreState(generation: 5, edition: 77)
    switch store.place {
    case .file(let path):
      let files = try RestaurantStore(path: path)
      try files.read { try $0.writeSnapshot(StoredPoints($0), state, to: file) }
    case .postgres(let address, let cache):
      let open = try PostgresStore(address: address, cache: cache, purpose: "test")
      try open.withConnection { connection in
        try connection.transaction(.reading) {
          try connection.writeSnapshot(state, to: file)
        }
      }
    }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  @Test func `the same feeds give the same snapshot, byte for byte`() throws {
    let stores = [try ScratchStore(.file), try ScratchStore(.postgres)]
    var random = SplitMix64(stream: "snapshots of both stores")
    var feed = random.restaurants(3_000)
    for (index, text) in ["é", "\"\\", "漢"].enumerated() {
      feed.append(.full("full-\(index)", at: .at(-0.0, 180)) { text })
    }
    for store in stores { try store.add(feed) }
    let first = try snapshotBytes(stores[0])
    #expect(try snapshotBytes(stores[1]) == first)
    feed.removeFirst(300)
    for index in 0..<300 { feed[index].rating = 1.25 }
    feed += random.restaurants(300, first: 10_000)
    for store in stores { try store.add(feed) }
    let second = try snapshotBytes(stores[0])
    #expect(second != first)
    #expect(try snapshotBytes(stores[1]) == second)
    #expect(first.count > 100_000)
  }

  @Test func `a second import waits for the first, and says who has the lock`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, let cache) = store.place else { return }
    let first = try PostgresStore(address: address, cache: cache, purpose: "import")
    let second = try PostgresStore(address: address, cache: cache, purpose: "import")
    try first.withConnection { one in
      try one.transaction(.writing) {
        try one.lockImports(of: first.storeID)
        let error = store.error {
          try second.withConnection { two in
            try two.transaction(.writing) {
              try two.lockImports(of: first.storeID, seconds: 0.2)
            }
          }
        }
        #expect(error?.kind == .busy)
        #expect(error?.message.contains("process \(getpid())") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("server process ") == true)
      }
    }
    try second.withConnection { two in
      try two.transaction(.writing) { try two.lockImports(of: first.storeID, seconds: 0.2) }
    }
  }

  @Test func `init makes a store once, and leaves foreign and newer schemas alone`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, _) = store.place else { return }
    let id = try store.sql("SELECT \"storeID\" FROM geoq_store")
    #expect(try PostgresCreation.run(address) == false)
    #expect(try store.sql("SELECT \"storeID\" FROM geoq_store") == id)
    try store.sql("UPDATE geoq_store SET \"schemaVersion\" = 99")
    for attempt in [{ _ = try PostgresCreation.run(address) }, { _ = try store.place.open() }] {
      let error = store.error(attempt)
      #expect(error?.kind == .newer)
      #expect(error?.message.contains("schema 99") == true)
    }
    try store.sql("UPDATE geoq_store SET \"schemaVersion\" = 0")
    #expect(store.error { _ = try store.place.open() }?.kind == .corrupt)
    try store.sql("UPDATE geoq_store SET \"schemaVersion\" = 1, application = 'other'")
    #expect(store.error { _ = try PostgresCreation.run(address) }?.kind == .foreign)
    try store.sql("ALTER TABLE geoq_store DROP COLUMN application")
    #expect(store.error { _ = try PostgresCreation.run(address) }?.kind == .foreign)
    try store.sql("DROP TABLE geoq_store")
    #expect(store.error { _ = try PostgresCreation.run(address) }?.kind == .foreign)
    #expect(store.error { _ = try store.place.open() }?.kind == .unavailable)
  }

  @Test func `verify finds what others have changed`() throws {
    let store = try ScratchStore(.postgres)
    try store.add((0..<50).map { .plain("id-\($0)") })
    _ = try store.restaurants()
    #expect(store.faults.isEmpty)
    let bad = { store.faults.map(\.subject) }
    try store.sql("UPDATE restaurants SET name = 'x' WHERE id = 'id-7'")
    #expect(bad() == ["contents", "snapshot"])
    try store.sql("UPDATE restaurants SET name = 'Name of id-7' WHERE id = 'id-7'")
    #expect(bad().isEmpty)
    try store.sql("DELETE FROM geoq_hashes WHERE pk = 3")
    #expect(bad() == ["restaurants", "contents"])
    try store.sql("DELETE FROM restaurants WHERE pk = 3")
    #expect(bad() == ["snapshot"])
    try store.sql("UPDATE restaurants SET generation = 9 WHERE pk = 4")
    #expect(bad() == ["restaurants", "snapshot"])
  }

  @Test func `a row cannot be where its columns are not, and no id is there twice`() throws {
    let store = try ScratchStore(.postgres)
    try store.add((0..<5).map { .plain("id-\($0)") })
    for sql in [
      "UPDATE restaurants SET latitude = 91 WHERE pk = 1",
      "UPDATE restaurants SET longitude = 'NaN' WHERE pk = 1",
      "UPDATE restaurants SET longitude = 'Infinity' WHERE pk = 1",
      "UPDATE restaurants SET id = 'id-2' WHERE pk = 1",
      "UPDATE restaurants SET geom = NULL WHERE pk = 1",
    ] {
      #expect(throws: PostgresFailure.self, "\(sql)") { try store.sql(sql) }
    }
    try store.sql("UPDATE restaurants SET latitude = 12.5 WHERE pk = 1")
    #expect(
      try store.sql("SELECT ST_AsText(geom) FROM restaurants WHERE pk = 1") == [
        ["POINT(-96.82 12.5)"]
      ]
    )
  }

  @Test func `the snapshot is made in the cache folder, and made again if it is damaged`() throws {
    let store = try ScratchStore(.postgres)
    try store.add((0..<50).map { .plain("id-\($0)") })
    let id = try store.sql("SELECT \"storeID\" FROM geoq_store")[0][0] ?? ""
    let file = store.folder.file("cache/\(id).1.geoqx")
    #expect(try store.restaurants().count == 50)
    let good = FileManager.default.contents(atPath: file)
    #expect(good != nil)
    try Data("no snapshot".utf8).write(to: URL(fileURLWithPath: file))
    var said: [String] = []
    #expect(try store.with { try $0.snapshot { said.append($0) } }.count == 50)
    #expect(said.count == 1)
    #expect(FileManager.default.contents(atPath: file) == good)
    try store.add((0..<51).map { .plain("id-\($0)") })
    #expect(try store.restaurants().count == 51)
    #expect(FileManager.default.contents(atPath: file) == nil)
    // another history has another edition: a snapshot of the same number is not taken for its own
    try store.sql("UPDATE geoq_store SET edition = edition + 1")
    #expect(try store.with { try $0.snapshot { said.append($0) } }.count == 51)
    #expect(said.count == 2)
  }

  @Test func `a machine that catches up has the bytes of one that reads everything`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, _) = store.place else { return }
    var random = SplitMix64(stream: "catching up")
    var feed = random.restaurants(400)
    var gone: [Restaurant] = []
    try store.add(feed)
    _ = try store.with { try $0.snapshot() }
    for round in 0..<16 {
      // nothing, a few, a third, everything; some rounds are missed
      switch round % 4 {
      case 0: break
      case 1: for _ in 0..<4 { feed[random.int(below: feed.count)].rating = Double(round) / 4 }
      case 2:
        let (kept, removed) = (feed.dropFirst(120), feed.prefix(120))
        feed = kept + gone.prefix(60) + random.restaurants(40, first: 1_000 * (round + 1))
        gone = Array(removed)
      default: for index in feed.indices { feed[index].name += " \(round)" }
      }
      try store.add(feed) { $0.allowsShrinking = true }
      if round % 3 == 1 { continue }
      let merged = try store.with { try $0.snapshot() }
      let other = StorePlace.postgres(address, cache: store.folder.file("cache-\(round)"))
      let open = try other.open()
      defer { try? open.close() }
      let paths = [merged.path, try open.snapshot().path]
      let files = paths.map { FileManager.default.contents(atPath: $0) }
      #expect(merged.count == feed.count && files[0] != nil)
      #expect(files[0] == files[1], "round \(round)")
    }
    #expect(store.faults.isEmpty)
  }

  @Test func `only what has changed is read, unless the older snapshot is useless`() throws {
    let store = try ScratchStore(.postgres)
    var feed = (0..<300).map { Restaurant.plain("id-\($0)") }
    func name() throws -> String? {
      feed.append(.plain("id-\(feed.count)"))
      try store.add(feed)
      return try store.with { try $0.snapshot().restaurant(id: "id-7") }?.name
    }
    let (old, new) = ("Name of id-7", "read again")
    #expect(try name() == old)
    // a row that another program has changed shows which rows are read
    try store.sql("UPDATE restaurants SET name = '\(new)' WHERE id = 'id-7'")
    #expect(try name() == old)
    try store.sql("DELETE FROM geoq_generations WHERE generation = 2")
    #expect(try name() == new)
    try store.sql("UPDATE restaurants SET name = '\(old)' WHERE id = 'id-7'")
    #expect(try name() == new)
    // the generation of another history
    try store.sql("UPDATE geoq_generations SET edition = edition + 1 WHERE generation = 4")
    #expect(try name() == old)
    try store.sql("UPDATE restaurants SET name = '\(new)' WHERE id = 'id-7'")
    #expect(try name() == old)
    // damage would get a checksum that fits
    let path = try store.with { try $0.snapshot() }.path
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count - 9] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try name() == new)
  }

  @Test func `removed ids are forgotten when there are too many`() throws {
    let store = try ScratchStore(.postgres)
    var feed = (0..<50).map { Restaurant.plain("id-\($0)") }
    for _ in 0..<4 {
      try store.add(feed)
      feed.removeLast(2)
    }
    let logged = "SELECT generation::text FROM geoq_removed GROUP BY 1 ORDER BY 1"
    let known = "SELECT generation::text FROM geoq_generations ORDER BY generation"
    #expect(try store.sql(logged) == [["2"], ["3"], ["4"]])
    #expect(try store.sql(known) == [["1"], ["2"], ["3"], ["4"]])
    try store.sql(
      """
      INSERT INTO geoq_removed (id, generation)
      SELECT 'x' || n, 3 FROM generate_series(1, \(PostgresSchema.rememberedIDs)) n
      """
    )
    try store.add(feed)
    // a replica of generation 3 needs what went later
    #expect(try store.sql(logged) == [["4"], ["5"]])
    #expect(try store.sql(known) == [["3"], ["4"], ["5"]])
    try store.sql("UPDATE geoq_store SET generation = generation + 2000")
    feed.removeLast(2)
    try store.add(feed)
    #expect(try store.sql(logged) == [["2006"]])
    #expect(try store.sql(known) == [["2006"]])
  }

  @Test func `favorites do not wait for another program longer than their limit`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, _) = store.place else { return }
    try store.add([.plain("a"), .plain("b")])
    let favorites = StoredFavorites(store.place)
    try favorites.addFavorites(["a"])
    #expect(try favorites.favoriteIDs() == ["a"])
    let other = try PostgresConnection(address, for: "test")
    defer { other.close() }
    try other.rows("SET search_path TO \(address.quotedSchema)")
    try other.transaction(.writing) {
      try other.rows("LOCK TABLE geoq_favorites IN ACCESS EXCLUSIVE MODE")
      let error = store.error { try favorites.addFavorites(["b"]) }
      #expect(error?.kind == .busy, "\(error?.message ?? "")")
      // those that were read last
      #expect(try favorites.favoriteIDs() == ["a"])
    }
  }

  @Test(arguments: [
    "geoq_store", "geoq_favorites", "restaurants", "geoq_sources", "geoq_hashes", "chains",
    "offers",
  ])
  func `a table that another session has locked fails what needs it, and nothing waits`(
    table: String
  ) throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, _) = store.place else { return }
    try store.add([.plain("a"), .plain("b")])
    let other = try PostgresConnection(address, for: "test")
    defer { other.close() }
    try other.rows("SET search_path TO \(address.quotedSchema)")
    try other.rows("SET idle_in_transaction_session_timeout TO '30s'")
    let favorites = StoredFavorites(store.place)
    try other.transaction(.writing) {
      try other.rows("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
      let uses: [() throws -> Void] = [
        { _ = try store.generation() }, { _ = try store.restaurants() },
        { _ = try favorites.favoriteIDs() }, { try favorites.addFavorites(["a"]) },
        { _ = try store.with { try $0.offerBook() } },
        { _ = try store.with { try $0.info { _ in } } },
        { try store.add([.plain("a"), .plain("b"), .plain("c")]) },
      ]
      let errors = uses.compactMap { use in store.error(use) }
      #expect(!errors.isEmpty)
      for error in errors {
        #expect(error.kind == .busy && error.message.contains("has locked a table"), "\(error)")
      }
      // the lock is still there: nothing has waited until it went
      #expect(try other.rows("SELECT 1").count == 1)
    }
    #expect(store.faults.isEmpty)
  }

  @Test func `an import tells its listeners`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, _) = store.place else { return }
    try store.add([.plain("a")])
    try store.add([.plain("a"), .plain("b")])
    #expect(
      try store.sql("SELECT generation::text FROM geoq_generations ORDER BY generation")
        == [["1"], ["2"]]
    )
    try store.add([.plain("b")])
    #expect(try store.sql("SELECT id, generation::text FROM geoq_removed") == [["a", "3"]])
    #expect(try store.sql("SELECT id, generation::text FROM restaurants") == [["b", "2"]])
    #expect(address.schema.hasPrefix("t "))
  }

  @Test func `a listener has its notice without asking`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, _) = store.place else { return }
    let connection = try PostgresConnection(address, for: "test")
    defer { connection.close() }
    #expect(try !connection.takeNotices())
    try connection.listen()
    try store.add([.plain("a")])
    // it comes by itself: what ends the wait if it does not is the number of looks
    func hasCome() throws -> Bool {
      try (0..<2_000).contains { _ in
        usleep(5_000)
        return try connection.takeNotices()
      }
    }
    #expect(try hasCome())
    #expect(try !connection.takeNotices())
    try store.read(
      """
      {"offers": [{"id": 101, "name": "Ten wings", "terms": "Made up.", "amount": 4,
        "categories": [], "restaurants": ["a"], "retailers": [],
        "expiration": "Dec 31, 2026 11:59:59 PM"}]}
      """,
      source: "offers"
    )
    #expect(try hasCome())
  }

  @Test func `the newest snapshot is known by the address alone`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, let cache) = store.place else { return }
    #expect(store.place.cachedSnapshot() == nil)
    try store.add([.plain("a")])
    #expect(store.place.cachedSnapshot() == nil)
    _ = try store.with { try $0.snapshot() }
    let first = try #require(store.place.cachedSnapshot())
    #expect(first.snapshot.count == 1)
    let replica = PostgresReplica(of: address, in: cache)
    let hourAgo = Date(timeIntervalSinceNow: -3_600)
    let file = replica.prefix + ".store"
    try FileManager.default.setAttributes([.modificationDate: hourAgo], ofItemAtPath: file)
    #expect(try #require(store.place.cachedSnapshot()).age >= .seconds(3_600))
    // a clock that was put back makes no age
    let hourAhead = Date(timeIntervalSinceNow: 3_600)
    try FileManager.default.setAttributes([.modificationDate: hourAhead], ofItemAtPath: file)
    #expect(try #require(store.place.cachedSnapshot()).age == .zero)
    try FileManager.default.setAttributes([.modificationDate: hourAgo], ofItemAtPath: file)
    _ = try store.with { try $0.state() }
    #expect(try #require(store.place.cachedSnapshot()).age < .seconds(3_600))
    // another address of the same folder has nothing
    let text = "\(PostgresServer.address ?? "")?schema=other"
    #expect(StorePlace.postgres(try PostgresAddress(text), cache: cache).cachedSnapshot() == nil)
    for damage in ["", "no id\n", UUID().uuidString] {
      try Data(damage.utf8).write(to: URL(fileURLWithPath: file))
      #expect(store.place.cachedSnapshot() == nil)
    }
    _ = try store.with { try $0.state() }
    #expect(store.place.cachedSnapshot() != nil)
    try Data("damaged".utf8).write(to: URL(fileURLWithPath: first.snapshot.path))
    #expect(store.place.cachedSnapshot() == nil)
  }

  @Test func `a lost connection is made anew, and one that cannot be is not tried at once`()
    throws
  {
    let store = try ScratchStore(.postgres)
    guard case .postgres(_, let cache) = store.place else { return }
    try store.add([.plain("a")])
    let kept = KeptStore(store.place)
    defer { kept.close() }
    #expect(try kept.use { try $0.snapshot() }.count == 1)
    try store.sql(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'geoq serve%'
      """
    )
    #expect(try kept.use { try $0.state() }.generation == 1)
    let away = KeptStore(.postgres(try PostgresAddress("postgresql://127.0.0.1:1/x"), cache: cache))
    let reasons = (0..<3).map { _ in store.error { _ = try away.use { try $0.state() } } }
    #expect(reasons.allSatisfy { $0?.kind == .unavailable })
  }

  @Test func `favorites are those read last while the store is away`() throws {
    let store = try ScratchStore(.postgres)
    guard case .postgres(let address, _) = store.place else { return }
    try store.add([.plain("a"), .plain("b")])
    let favorites = StoredFavorites(store.place)
    #expect(try favorites.addFavorites(["a"]) == ["a"])
    #expect(try favorites.favoriteIDs() == ["a"])
    let page = try favorites.favorites(after: "a", limit: 1)
    #expect(page.matches.isEmpty && page.total == 1 && page.generation == 1)
    try store.sql("ALTER SCHEMA \(address.quotedSchema) RENAME TO hidden")
    #expect(try favorites.favoriteIDs() == ["a"])
    #expect(throws: StoreError.self) { try favorites.addFavorites(["b"]) }
    #expect(try favorites.favoriteIDs() == ["a"])
    try store.sql("ALTER SCHEMA hidden RENAME TO \(address.quotedSchema)")
  }

  @Test func `a damaged snapshot of the cache is made again`() throws {
    let store = try ScratchStore(.postgres)
    try store.add((0..<2_000).map { .plain("id-\($0)") })
    let snapshot = try store.with { try $0.snapshot() }
    var said: [String] = []
    try store.with { try $0.repairSnapshot { said.append($0) } }
    #expect(said.isEmpty)
    let good = FileManager.default.contents(atPath: snapshot.path) ?? Data()
    var bad = good
    bad[bad.count / 2] ^= 0x55
    try bad.write(to: URL(fileURLWithPath: snapshot.path))
    try store.with { try $0.repairSnapshot { said.append($0) } }
    #expect(said.count == 1)
    #expect(FileManager.default.contents(atPath: snapshot.path) == good)
  }

  private static let endless =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*)"

  @Test(arguments: [
    "UPDATE geoq_store SET generation = -5",
    "UPDATE geoq_store SET generation = 9223372036854775807",
    "UPDATE geoq_store SET \"offersRevision\" = -1",
    "DELETE FROM geoq_store",
    "UPDATE restaurants SET pk = 9223372036854775807 WHERE id = 'id-3'",
    "UPDATE restaurants SET pk = -5 WHERE id = 'id-3'",
    "ALTER TABLE geoq_store RENAME TO was; CREATE VIEW geoq_store AS SELECT application, "
      + "\"schemaVersion\", \"storeID\", (\(endless) FROM n) AS generation, edition FROM was",
    "ALTER TABLE restaurants RENAME TO was; CREATE VIEW restaurants AS \(endless) AS pk FROM n",
    "CREATE RULE r AS ON INSERT TO geoq_sources DO ALSO \(endless) FROM n",
  ])
  func `what another program has written is refused with a sentence`(_ change: String) throws {
    let places = (0..<8).map { Restaurant.plain("id-\($0)") }
    let store = try ScratchStore(.postgres)
    try store.add(places)
    for statement in change.split(separator: "; ") { try store.sql(String(statement)) }
    let error = store.error {
      try store.with { _ = (try $0.state(), try $0.offersRevision(), try $0.offerBook()) }
      try store.add(places + [.plain("new")])
    }
    #expect(error?.kind == .corrupt || error?.kind == .foreign)
    #expect(error?.message.contains("import its feeds into") == true || error?.kind == .foreign)
  }

  @Test func `numbers that are not finite count as missing`() throws {
    let store = try ScratchStore(.postgres)
    try store.add([.plain("id")])
    try store.sql("UPDATE restaurants SET rating = 'NaN', \"ratingScale\" = 'Infinity'")
    // an import has made no snapshot yet, so the rows are read
    guard case .postgres(_, let cache) = store.place else { return }
    #expect(!FileManager.default.fileExists(atPath: cache))
    #expect(try store.restaurants().map(\.rating) == [nil])
  }

  @Test func `hostile texts are only texts`() throws {
    let store = try ScratchStore(.postgres)
    var random = SplitMix64(stream: "hostile texts in PostgreSQL")
    let parts = [
      "'", "\"", "\\", ";", "--", "/*", "*/", "$$", "$1", "%", "\n", "\u{1}",
      "DROP TABLE restaurants",
      "') OR ('1'='1", "\\.", "\\N", "{", "}", ",", "NULL", "COPY", "é", "\u{202E}", "e\u{301}",
    ]
    let texts = (0..<300).map { number in
      "\(number)"
        + (0...random.int(below: 5)).map { _ in parts[random.int(below: parts.count)] }.joined()
    }
    let all = texts.map { text in
      var restaurant = Restaurant.full(text, at: .at(1, 2)) { text }
      restaurant.source = "src'\"; DROP SCHEMA geoq --"
      return restaurant
    }
    try store.add(all, source: "src'\"; DROP SCHEMA geoq --")
    let expected = all.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
    #expect(try store.restaurants().map(\.allBytes) == expected.map(\.allBytes))
    try store.with { (store: any Store) throws -> Void in
      #expect(try store.addFavorites(texts).count == 300)
      #expect(try store.favorites().count == 300)
      #expect(try store.removeFavorites(texts).count == 300)
    }
    for name in ["a\"b", "x'; DROP SCHEMA public; --", "ünï", "a.b", "$1", "A B"] {
      var allowed = CharacterSet.alphanumerics
      allowed.insert("-")
      let encoded = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
      let address = try PostgresAddress("\(PostgresServer.address ?? "")?schema=\(encoded)")
      #expect(address.schema == name)
      #expect(try PostgresCreation.run(address))
      let other = StorePlace.postgres(address, cache: store.folder.file("cache"))
      try other.open().close()
      try store.sql("DROP SCHEMA \(address.quotedSchema) CASCADE")
    }
  }
}

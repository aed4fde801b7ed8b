import Foundation
import Testing

/// Names of files that mean something to SQLite or to geoq itself.
struct FileSafetyTests {
  private let runner = CommandRunner()

  @Test
  func `the database is not overwritten by its own export`() {
    runner.copySample()
    let result = runner.geoq("export", "-o", "geoq.db", "--force")
    #expect(result.status == 64)
    #expect(result.err.hasPrefix("Error: -o: geoq.db is the database itself; name another file"))
    #expect(runner.geoq("list", "-f", "count").out == "15\n")
  }

  @Test
  func `rejected records overwrite neither database nor feed, and nothing unless forced`() {
    runner.folder.write(TestFeed.goodFeature + "\n{\"bad\":1}\n", to: "f.geojsons")
    runner.copySample()
    runner.folder.write("precious", to: "mine.txt")
    let database = runner.geoq("list").out
    let feed = runner.folder.text(of: "f.geojsons")
    for (name, status, said) in [
      ("geoq.db", 64, "is the database itself"), ("./geoq.db", 64, "is the database itself"),
      ("f.geojsons", 64, "is the feed itself"), ("mine.txt", 73, "exists; use --force"),
    ] {
      let result = runner.geoq("import", "f.geojsons", "--reject-file", name)
      #expect(result.status == status && result.err.contains(said), "\(name): \(result.err)")
    }
    for name in ["geoq.db", "f.geojsons"] {
      let result = runner.geoq("import", "f.geojsons", "--force", "--reject-file", name)
      #expect(result.status == 64)
    }
    #expect(runner.geoq("list").out == database)
    #expect(runner.folder.text(of: "f.geojsons") == feed)
    #expect(runner.folder.text(of: "mine.txt") == "precious")
    let forced = runner.geoq("import", "f.geojsons", "--force", "--reject-file", "mine.txt")
    #expect(forced.status == 0)
    #expect(runner.folder.text(of: "mine.txt")?.contains("\"record\":2") == true)
  }

  @Test(arguments: ["file:named.db", ":memory:", "a%20b?c#d.db"])
  func `a database's name is a name and nothing else`(_ name: String) {
    let imported = runner.geoq("import", CommandRunner.sampleFeed, "--db", name)
    #expect(imported.status == 0)
    #expect(runner.geoq("list", "-f", "count", "--db", name).out == "15\n")
    #expect(runner.folder.names == [name])
  }

  @Test
  func `an import into a folder that is not there says so`() {
    let result = runner.geoq("import", CommandRunner.sampleFeed, "--db", "none/x.db")
    #expect(result.status == 69)
    #expect(result.err == "Error: none/x.db: the folder does not exist; create it first\n")
  }

  @Test
  func `what is made for a private database is as private`() {
    runner.copySample()
    func change(_ what: String, _ rights: mode_t, _ act: () -> CommandResult) {
      chmod(runner.folder["geoq.db"], rights)
      let result = act()
      #expect(result.status == 0, "\(what): \(result.err)")
      let snapshots = runner.folder.snapshots
      #expect(snapshots.count == 1)
      for name in runner.folder.names + snapshots {
        #expect(runner.folder.permissions(of: name) == rights, "\(what): \(name)")
      }
    }
    let feeds = ScratchFolder()
    feeds.write(TestFeed.goodFeature, to: "f.geojsons")
    change("made private after the import", 0o600) { runner.geoq("list") }
    change("another import", 0o600) { runner.geoq("import", feeds["f.geojsons"]) }
    for name in runner.folder.snapshots { unlink(runner.folder[name]) }
    change("a lost snapshot, for the group", 0o640) { runner.geoq("list") }
  }

  @Test
  func `a first import into a private empty file keeps it private`() {
    runner.folder.write("", to: "geoq.db", permissions: 0o600)
    // another user's file, if this one may give it away
    let isOwner = chown(runner.folder["geoq.db"], 65534, 65534) == 0
    runner.importSample()
    for name in runner.folder.names + runner.folder.snapshots {
      var facts = stat()
      #expect(lstat(runner.folder[name], &facts) == 0 && facts.st_mode & 0o777 == 0o600)
      #expect(!isOwner || facts.st_uid == 65534 && facts.st_gid == 65534, "\(name)")
    }
  }

  @Test
  func `an ending that promises another format is refused`() {
    runner.copySample()
    let result = runner.geoq("export", "-o", "map.csv.zip")
    #expect(result.status == 64)
    #expect(result.err.hasPrefix("Error: -o: geoq does not write .zip; see geoq help formats"))
    #expect(runner.geoq("export", "-o", "map.kml", "-f", "geojson").status == 0)
  }

  @Test
  func `two first imports at once both arrive`() {
    runner.folder.write(
      #"{"restaurants":[{"name":"Other","location":{"lat":1,"lng":2}}]}"#,
      to: "other.json"
    )
    let script = """
      "$GEOQ" --db race.db import '\(CommandRunner.sampleFeed)' & "$GEOQ" --db race.db import other.json
      wait
      "$GEOQ" --db race.db list -f count
      """
    #expect(runner.shell(script).out == "16\n")
  }

  @Test(arguments: [
    "PRAGMA user_version = -1", "PRAGMA user_version = 0",
    "UPDATE restaurants SET category = x'ff'",
    "UPDATE restaurants SET rating = 'x', reviewCount = x'00', extra = '{'",
    "UPDATE geoq_sources SET importedAt = x'ff', etag = 7",
  ])
  func `a damaged value gives an error or nothing, never a trap`(_ statement: String) {
    runner.copySample()
    runner.folder.write(
      """
      import sqlite3, sys
      database = sqlite3.connect('geoq.db')
      database.execute('DROP TRIGGER tmu_restaurants_geom')
      database.execute(sys.argv[1])
      database.commit()
      """,
      to: "edit.py"
    )
    #expect(runner.shell("python3 edit.py \"\(statement)\"").status == 0)
    for command in ["info", "list", "doctor", "import"] {
      let feed = command == "import" ? [CommandRunner.sampleFeed] : []
      let result = runner.process([command] + feed)
      #expect(result.status < 128, "\(command): \(result.err)")
    }
  }
}

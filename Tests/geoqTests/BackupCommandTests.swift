import Foundation
import Testing

@testable import geoq

struct BackupCommandTests {
  private let runner = CommandRunner()

  init() {
    runner.writeFeed(0..<20, to: "feed.json")
    runner.geoq("import", "feed.json")
  }

  @Test func `a backup answers like the database, with favorites, and without a warning`() {
    #expect(runner.geoq("favorite", "add", "r3").status == 0)
    let done = runner.geoq("backup", "copy.db")
    #expect(done.status == 0 && done.err == "copy.db: generation 1, 20 restaurants\n")
    #expect(runner.folder.names.contains("copy.db"))
    #expect(runner.folder.names.filter { $0.hasPrefix("copy.db-") || $0.hasSuffix(".tmp") } == [])
    let query = ["nearest", "--at", "0,0", "-k", "20", "-f", "json"]
    let answer = runner.geoq(query + ["--db", "copy.db"])
    #expect(answer.status == 0 && answer.err == "")
    #expect(answer.out == runner.geoq(query).out)
    #expect(runner.geoq("favorite", "list", "-f", "ids", "--db", "copy.db").out == "r3\n")
    #expect(runner.geoq("verify", "--db", "copy.db").status == 0)
  }

  @Test func `a backup in the place of a damaged database brings back what it had`() {
    #expect(runner.geoq("favorite", "add", "r3").status == 0)
    runner.geoq("backup", "copy.db")
    runner.writeFeed(0..<25, to: "feed.json")
    runner.geoq("import", "feed.json")
    #expect(runner.shell("head -c 5000 geoq.db > part && mv part geoq.db").status == 0)
    #expect(runner.geoq("favorite", "list").status != 0)
    #expect(runner.shell("mv copy.db geoq.db").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "20\n")
    #expect(runner.geoq("favorite", "list", "-f", "ids").out == "r3\n")
    #expect(runner.geoq("import", "feed.json").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "25\n")
    #expect(runner.geoq("verify").status == 0)
  }

  @Test func `a backup is private if the database is`() throws {
    #expect(runner.shell("chmod 600 geoq.db").status == 0)
    runner.geoq("backup", "copy.db")
    #expect(runner.shell("stat -c %a copy.db 2>/dev/null || stat -f %Lp copy.db").out == "600\n")
  }

  @Test func `an existing file is replaced with --force only`() {
    runner.folder.write("mine", to: "copy.db")
    let refused = runner.geoq("backup", "copy.db")
    #expect(refused.status != 0 && refused.err.contains("--force"))
    #expect(runner.bytes(of: "copy.db") == Array("mine".utf8))
    #expect(runner.geoq("backup", "copy.db", "--force").status == 0)
    #expect(runner.geoq("list", "-f", "count", "--db", "copy.db").out == "20\n")
  }

  @Test(arguments: [
    ("geoq.db", "geoq.db: it is the database itself"),
    ("./geoq.db", "./geoq.db: it is the database itself"),
    ("link.db", "link.db: it is the database itself"),
    ("served.db", "served.db: another program uses the database there"),
    ("copy.db.gz", "a database is a file that is not compressed"),
    ("/dev/null", "a database is a file that is not compressed"),
    ("nowhere/copy.db", "nowhere/copy.db"),
  ])
  func `a backup that would destroy something is refused, and nothing is made`(
    file: String,
    problem: String
  ) {
    #expect(runner.shell("ln -s geoq.db link.db && touch served.db served.db-wal").status == 0)
    let before = (runner.folder.names, runner.bytes(of: "geoq.db"))
    let refused = runner.geoq("backup", file, "--force")
    #expect(refused.status != 0 && refused.err.contains(problem), "\(refused.err)")
    #expect(refused.err.split(separator: "\n").count <= 2, "\(refused.err)")
    #expect(runner.folder.names == before.0)
    #expect(runner.bytes(of: "geoq.db") == before.1)
  }

  @Test func `without a database there is no backup`() {
    let refused = runner.geoq("backup", "copy.db", "--db", "none.db")
    #expect(refused.status == 69)
    #expect(!runner.folder.names.contains("copy.db"))
  }

  @Test func `a store in PostgreSQL is left to pg_dump, whose line is given`() {
    let address = "postgresql://nowhere/x?schema=lunch"
    let refused = runner.geoq("backup", "copy.sql", "--db", address)
    #expect(refused.status == 64)
    #expect(refused.err.contains("pg_dump --schema=lunch --file=copy.sql"))
  }
}

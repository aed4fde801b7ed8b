import Testing

/// Which database is used, and what happens where it is none.
struct DatabaseCommandTests {
  private let runner = CommandRunner()

  /// Every command that reads a database.
  private static let readers = [
    ["nearest", "--at", "1,2"], ["radius", "--at", "1,2", "-r", "5"],
    ["bbox", "--bbox", "0,0,1,1"],
    ["list"], ["show", "a"], ["export"], ["info"],
  ]

  private func run(_ arguments: [String]) -> CommandResult {
    runner.geoq(arguments)
  }

  @Test
  func `the database is named by option, by environment, or by default`() {
    let here = ["GEOQ_DB": "variable.db"]
    runner.geoq("--db", "before.db", "import", CommandRunner.sampleFeed, environment: here)
    #expect(runner.folder.names == ["before.db"])
    runner.geoq("import", CommandRunner.sampleFeed, "--db", "after.db", environment: here)
    #expect(runner.folder.names == ["after.db", "before.db"])
    runner.geoq("import", CommandRunner.sampleFeed, environment: here)
    #expect(runner.folder.names == ["after.db", "before.db", "variable.db"])
    runner.geoq("import", CommandRunner.sampleFeed, environment: ["GEOQ_DB": ""])
    #expect(runner.folder.names == ["after.db", "before.db", "geoq.db", "variable.db"])
    let info = runner.geoq("--db=before.db", "info", "--json", environment: here)
    #expect(info.json["database"] as? String == "before.db")
    #expect(
      runner.geoq("info", "--json", environment: here).json["database"] as? String
        == "variable.db"
    )
  }

  @Test(arguments: readers)
  func `a missing database is unavailable, and is not made`(command: [String]) {
    let result = run(command)
    #expect(result.status == 69)
    #expect(result.output.isEmpty)
    #expect(result.err == "Error: geoq.db: no such database; create it with: geoq import FEED\n")
    #expect(runner.folder.names.isEmpty)
  }

  @Test(arguments: readers)
  func `an empty file is unavailable, and stays empty`(command: [String]) {
    runner.folder.write("", to: "geoq.db")
    let result = run(command)
    #expect(result.status == 69)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix("Error: geoq.db: the database is empty; fill it with"))
    expectOnly([])
  }

  @Test(arguments: readers + [["import", CommandRunner.sampleFeed]])
  func `a file that is not a database keeps its bytes`(command: [String]) {
    let bytes = Array(String(repeating: "not a database ", count: 100).utf8)
    runner.makeFile(bytes, to: "geoq.db")
    expectRefusal(command, status: 65, "not a database")
    expectOnly(bytes)
  }

  @Test(
    .enabled(if: CommandRunner.succeeds("sqlite3 --version"), "needs sqlite3"),
    arguments: readers + [["import", CommandRunner.sampleFeed]]
  )
  func `the database of another program keeps its bytes`(command: [String]) {
    _ = runner.shell("sqlite3 geoq.db 'CREATE TABLE t(a); INSERT INTO t VALUES (1)'")
    let bytes = runner.bytes(of: "geoq.db")
    #expect(bytes.count > 4_000)
    expectRefusal(command, status: 65, "a database of another program")
    expectOnly(bytes)
  }

  @Test(arguments: readers + [["import", CommandRunner.sampleFeed]])
  func `a database of a newer geoq keeps its bytes`(command: [String]) {
    runner.copySample()
    var bytes = runner.bytes(of: "geoq.db")
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])  // user_version in the SQLite header
    runner.makeFile(bytes, to: "geoq.db")
    expectRefusal(command, status: 65, "made by a newer geoq (schema 99")
    expectOnly(bytes)
  }

  @Test(arguments: readers + [["import", CommandRunner.sampleFeed]])
  func `a damaged database keeps its bytes`(command: [String]) {
    runner.copySample()
    var bytes = runner.bytes(of: "geoq.db")
    for position in 100..<bytes.count { bytes[position] = UInt8(truncatingIfNeeded: position &* 7) }
    runner.makeFile(bytes, to: "geoq.db")
    expectRefusal(command, status: 65, "damaged")
    expectOnly(bytes)
  }

  @Test(arguments: [readers[0], readers[3], ["import", CommandRunner.sampleFeed]])
  func `a database cut short keeps its bytes`(command: [String]) {
    runner.copySample()
    let bytes = Array(runner.bytes(of: "geoq.db").prefix(20_000))
    runner.makeFile(bytes, to: "geoq.db")
    expectRefusal(command, status: 65, "geoq.db: ")
    expectOnly(bytes)
  }

  @Test
  func `a folder is not a database`() {
    let result = runner.geoq("list", "--db", ".")
    #expect(result.status == 69)
    #expect(result.err == "Error: .: is a folder; a database is a file\n")
    #expect(runner.importSample(["--db", "."]).status == 69)
    #expect(runner.importSample(["--db", "none/geoq.db"]).status == 69)
    #expect(runner.folder.names.isEmpty)
  }

  @Test(
    arguments: [["show", "yard-house-dfd1f6d4"], ["doctor"], ["verify"]]
      + readers.filter { $0[0] != "show" }
  )
  func `reading leaves the bytes of the database alone`(command: [String]) {
    runner.copySample()
    let before = runner.bytes(of: "geoq.db")
    #expect(run(command).status == 0)
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.folder.names == ["geoq.db"])
  }

  private func expectRefusal(_ command: [String], status: Int32, _ problem: String) {
    let result = run(command)
    #expect(result.status == status, "\(result.err)")
    #expect(result.output.isEmpty)
    #expect(result.errLines.count == 1)
    #expect(
      result.err.hasPrefix("Error: geoq.db: ") && result.err.contains(problem),
      "\(result.err)"
    )
  }

  private func expectOnly(_ bytes: [UInt8]) {
    #expect(runner.bytes(of: "geoq.db") == bytes)
    #expect(runner.folder.names == ["geoq.db"])
  }
}

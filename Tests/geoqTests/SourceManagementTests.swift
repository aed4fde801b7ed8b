import Testing

/// `geoq source`, `geoq remove`, and several feeds in one command.
struct SourceManagementTests {
  private let runner = CommandRunner()

  @Test
  func `sources are listed, renamed and removed`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.writeFeed(10..<12, to: "b.json")
    runner.geoq("import", "a.json", "b.json")
    #expect(
      runner.geoq("source", "list").outLines.map { $0.prefix(9) }
        == ["source\tre", "a.json\t3\t", "b.json\t2\t"]
    )
    let listed = runner.geoq("source", "list", "--json").json["sources"] as? [[String: Any]] ?? []
    #expect(listed.map { $0["name"] as? String } == ["a.json", "b.json"])
    let dry = runner.geoq("source", "remove", "b.json", "--dry-run")
    #expect(dry.err == "b.json: 2 restaurants would be removed (dry run, nothing was written)\n")
    #expect(
      runner.geoq("source", "rename", "a.json", "lunch").err
        == "a.json → lunch: 3 restaurants renamed\n"
    )
    #expect(runner.geoq("import", "a.json", "--source", "lunch").err.contains("3 unchanged"))
    let unknown = runner.geoq("source", "remove", "b.jsn")
    #expect(unknown.status == 1)
    #expect(unknown.err.contains("there is no source \"b.jsn\"; did you mean \"b.json\"?"))
    #expect(runner.geoq("source", "rename", "lunch", "b.json").status == 1)
    #expect(runner.geoq("source", "remove", "b.json").err == "b.json: 2 restaurants removed\n")
    #expect(runner.geoq("list", "-f", "ids").outLines == ["r0", "r1", "r2"])
    #expect(runner.geoq("verify").status == 0)
  }

  @Test
  func `restaurants are removed by their ids, all or none`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.geoq("import", "a.json")
    #expect(runner.geoq("remove", "r1", "none").status == 1)
    #expect(
      runner.geoq("remove", "r1", "--dry-run").err
        == "1 restaurant would be removed (dry run, nothing was written)\n"
    )
    #expect(runner.geoq("list", "-f", "count").out == "3\n")
    #expect(
      runner.geoq("remove", "r1", "r0").err == "2 restaurants removed; an import that still has "
        + "them adds them again (geoq hide keeps them out)\n"
    )
    #expect(runner.geoq("list", "-f", "ids").out == "r2\n")
  }

  @Test
  func `several feeds are each a source, with a report each, a sum and one exit code`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.folder.write("no feed", to: "b.json")
    runner.writeFeed(10..<12, to: "c.json")
    let result = runner.geoq("import", "a.json", "b.json", "c.json")
    #expect(result.status == 65)
    #expect(result.err.contains("a.json: 3 read, 3 inserted"))
    #expect(result.err.contains("Error: b.json:1: "))
    #expect(result.err.contains("c.json: 2 read, 2 inserted"))
    #expect(
      result.errLines.last == "2 of 3 feeds: 5 read, 5 inserted, 0 updated, 0 unchanged, "
        + "0 removed, 0 rejected"
    )
    #expect(runner.geoq("import", "a.json", "c.json", "--json").jsonLines.count == 2)
    #expect(runner.geoq("import", "a.json", "c.json", "--source", "x").status == 64)
    let twice = runner.geoq("import", "a.json", "./a.json")
    #expect(twice.status == 64)
    #expect(twice.err.contains("would both be the source \"a.json\""))
  }

  @Test
  func `rejections of one kind are one line, and -q prints none`() {
    let rows = (1...9).map { "\($0),n\($0),\(90 + $0),0\n" }
    runner.folder.write("id,name,latitude,longitude\na,A,1,2\n" + rows.joined(), to: "a.csv")
    let result = runner.geoq("import", "a.csv")
    #expect(result.errLines.count == 2)
    #expect(result.errLines.first?.hasSuffix("(and 8 more like it)") == true)
    #expect(runner.geoq("import", "a.csv", "-q").err == "")
    let info = runner.geoq("info").out
    #expect(info.contains(", 9 rejected") && info.contains("rejected 9: latitude 91.0 "))
    let sources = runner.geoq("info", "--json").json["sources"] as? [[String: Any]] ?? []
    #expect((sources.first?["rejections"] as? [String: Any])?["count"] as? Int == 9)
  }

  @Test(arguments: [("8", 65), ("9", 0), ("89%", 65), ("90%", 0), ("x", 64), ("101%", 64)])
  func `more rejects than allowed fail the import before anything changes`(
    _ limit: String,
    _ status: Int32
  ) {
    let rows = (1...9).map { "\($0),n\($0),\(90 + $0),0\n" }
    runner.folder.write("id,name,latitude,longitude\na,A,1,2\n" + rows.joined(), to: "a.csv")
    let result = runner.geoq("import", "a.csv", "--max-rejects", limit)
    #expect(result.status == status)
    #expect(runner.folder.names == (status == 0 ? ["a.csv", "geoq.db"] : ["a.csv"]))
    if status == 65 {
      #expect(
        result.errLines.last == "Error: a.csv: 9 of 10 records were rejected, more than the limit "
          + "of \(limit); nothing was changed"
      )
    }
  }

  @Test
  func `of rows that repeat an id the first or the last is kept`() {
    runner.folder.write("id,name,latitude,longitude\n1,A,1,2\n1,B,1,2\n", to: "a.csv")
    for (choice, name) in [("first", "A"), ("last", "B")] {
      let result = runner.geoq("import", "a.csv", "--duplicates", choice)
      #expect(result.err.contains("0 rejected, 1 repeated an id → "))
      #expect(runner.geoq("show", "1", "--json=name").out.contains("\"name\":\"\(name)\""))
    }
    #expect(runner.geoq("import", "a.csv", "--duplicates", "last").err.contains("1 unchanged"))
    #expect(runner.geoq("import", "a.csv").err.contains("1 rejected"))
  }
}

import Testing

/// Several sources in one database.
struct SourceCommandTests {
  private let runner = CommandRunner()

  @Test
  func `a feed replaces only what its own source had`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.writeFeed(10..<13, to: "b.json")
    runner.geoq("import", "a.json")
    #expect(
      runner.geoq("import", "b.json").err.contains("3 inserted, 0 updated, 0 unchanged, 0 rem")
    )
    runner.writeFeed(0..<2, to: "a.json")
    #expect(runner.geoq("import", "a.json").err.contains("2 unchanged, 1 removed"))
    #expect(runner.geoq("list", "-f", "ids").outLines == ["r0", "r1", "r10", "r11", "r12"])
    let sources = runner.geoq("info", "--json").json["sources"] as? [[String: Any]] ?? []
    #expect(sources.map { $0["name"] as? String } == ["a.json", "b.json"])
    #expect(sources.map { $0["count"] as? Int } == [2, 3])
  }

  @Test
  func `a source is the file's name, what is asked for, or stdin`() {
    runner.writeFeed(0..<1, to: "a.json")
    #expect(runner.geoq("import", "./a.json").err.hasPrefix("a.json: "))
    runner.writeFeed(1..<2, to: "a.json")
    #expect(runner.geoq("import", "a.json", "--source", "lunch").err.hasPrefix("lunch: "))
    let input = runner.bytes(of: "a.json")
    #expect(
      runner.geoq("import", "-", "--db", "in.db", input: input).err.hasPrefix("stdin: 1 read")
    )
    #expect(runner.geoq("import", "--db", "in2.db", input: input).err.hasPrefix("stdin: 1 read"))
    #expect(runner.geoq("show", "r1", "--json=source").out.contains(#"{"source":"lunch"}"#))
  }

  @Test
  func `an id of another source is a conflict, named with its owner`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.writeFeed(2..<5, to: "b.json")
    runner.geoq("import", "a.json")
    let result = runner.geoq("import", "b.json", "--json")
    #expect(result.status == 0)
    #expect(
      result.errLines.first == "b.json:1: record 1 (byte 16): id \"r2\" belongs to the source "
        + "\"a.json\"; to refresh that one, import with --source \"a.json\""
    )
    #expect(result.json["inserted"] as? Int == 2)
    #expect(result.json["rejected"] as? Int == 1)
    #expect(runner.geoq("show", "r2", "--json=source").out.contains(#"{"source":"a.json"}"#))
  }

  @Test
  func `strict refuses a feed with a conflict`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.writeFeed(2..<5, to: "b.json")
    runner.geoq("import", "a.json")
    let before = runner.bytes(of: "geoq.db")
    let result = runner.geoq("import", "b.json", "--strict")
    #expect(result.status == 65)
    #expect(result.errLines.count == 1)
    #expect(result.err.hasPrefix("Error: b.json:1: record 1 (byte 16): id \"r2\" belongs"))
    #expect(runner.bytes(of: "geoq.db") == before)
  }

  @Test
  func `the advice of a conflict works`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.geoq("import", "a.json")
    runner.writeFeed(0..<4, to: "copy.json")
    let result = runner.geoq("import", "copy.json", "--source", "a.json")
    #expect(
      result.err == "a.json: 4 read, 1 inserted, 0 updated, 3 unchanged, 0 removed, "
        + "0 rejected → geoq.db\n"
    )
  }

  @Test
  func `a feed that leaves nothing of its source is taken with a warning`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.geoq("import", "a.json")
    runner.writeFeed(10..<13, to: "a.json")
    let result = runner.geoq("import", "a.json")
    #expect(result.status == 0)
    #expect(result.err.contains("warning: nothing is left of what the source \"a.json\" had"))
    #expect(result.err.contains("3 inserted, 0 updated, 0 unchanged, 3 removed"))
  }

  @Test
  func `an export goes back to the sources it names and removes nothing`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.geoq("import", "a.json")
    runner.geoq("nearest", "--at", "0,0", "-k", "1", "-o", "part.geojson")
    runner.geoq("export", "-o", "whole.geojson")
    for file in ["part.geojson", "whole.geojson"] {
      #expect(runner.geoq("import", file).err.contains("0 updated, "))
      #expect(runner.geoq("list", "-f", "count").out == "3\n")
    }
  }

  @Test
  func `allowing a feed to shrink does not take one of bad records only`() {
    runner.writeFeed(0..<3, to: "a.json")
    runner.geoq("import", "a.json")
    runner.folder.write(#"{"restaurants":[{"name":"x"}]}"#, to: "a.json")
    let result = runner.geoq("import", "a.json", "--allow-shrink")
    #expect(result.status == 65)
    #expect(result.errLines.last == "Error: a.json: every record was rejected; nothing was changed")
    #expect(runner.geoq("list", "-f", "count").out == "3\n")
  }
}

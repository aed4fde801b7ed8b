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
  func `an id of another source is kept next to it`() {
    runner.writeFeed(0..<4, to: "a.json")
    runner.writeFeed(3..<6, to: "b.json")
    runner.geoq("import", "a.json")
    let result = runner.geoq("import", "b.json", "--json", "--strict")
    #expect(result.status == 0)
    #expect(
      result.errLines.first == "1 id is also used by a.json; it is kept as b.json:ID"
    )
    #expect(result.json["inserted"] as? Int == 3)
    let shared = result.json["sharedIDs"] as? [[String: Any]] ?? []
    #expect(shared.map { $0["count"] as? Int } == [1])
    #expect(runner.geoq("show", "r3", "--json=source").out.contains(#"{"source":"a.json"}"#))
    #expect(runner.geoq("show", "b.json:r3", "--json=source").out.contains("b.json"))
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

  @Test
  func `attribution and license – of an import – are in the list of sources and in GeoJSON`() {
    runner.writeFeed(0..<2, to: "a.json")
    runner.writeFeed(2..<3, to: "b.json")
    runner.geoq("import", "a.json", "b.json")
    let plain = runner.geoq("source", "list").out
    #expect(plain.hasPrefix("source\trestaurants\timported\taddress\n"))
    let export = runner.geoq("export", "-f", "geojson").out
    #expect(!export.contains("attribution"))
    #expect(
      runner.geoq("import", "b.json", "--attribution", "© B", "--license", "CC-BY-4.0").status == 0
    )
    let lines = runner.geoq("source", "list").outLines
    #expect(lines.first == "source\trestaurants\timported\taddress\tattribution\tlicense")
    #expect(lines[1].hasPrefix("a.json\t") && lines[1].hasSuffix("\t\t\t"))
    #expect(lines[2].hasPrefix("b.json\t") && lines[2].hasSuffix("\t© B\tCC-BY-4.0"))
    let sources = runner.geoq("source", "list", "--json").json["sources"] as? [[String: Any]] ?? []
    #expect(sources.map { $0["attribution"] as? String } == [nil, "© B"])
    #expect(sources.map { $0["license"] as? String } == [nil, "CC-BY-4.0"])
    for command in [["export", "-f", "geojson"], ["nearest", "--at", "0,0", "-f", "geojson"]] {
      let json = runner.geoq(command).json
      #expect(json["attribution"] as? String == "© B" && json["license"] as? String == "CC-BY-4.0")
    }
    #expect(!runner.geoq("export", "-f", "csv").out.contains("© B"))
    // an import of the same feed keeps them, and an empty text removes them
    runner.geoq("import", "b.json")
    #expect(runner.geoq("export", "-f", "geojson").json["attribution"] as? String == "© B")
    runner.geoq("import", "b.json", "--attribution", "", "--license", "")
    #expect(runner.geoq("source", "list").out.hasPrefix("source\trestaurants\timported\taddress\n"))
    #expect(runner.geoq("export", "-f", "geojson").out == export)
  }

  @Test
  func `attribution – of more than a line – is refused`() {
    runner.writeFeed(0..<1, to: "a.json")
    for text in ["a\nb", String(repeating: "x", count: 501)] {
      let result = runner.geoq("import", "a.json", "--attribution", text)
      #expect(result.status == 64)
      #expect(
        result.err.contains("--attribution: expected one line of plain text, at most 500 bytes")
      )
    }
    #expect(runner.geoq("import", "a.json", "--license", "a\u{202E}b").status == 64)
  }

  @Test
  func `tiles – of data with an attribution – have it in their metadata`() throws {
    runner.writeFeed(0..<2, to: "a.json")
    runner.geoq("import", "a.json", "--attribution", "A <b>")
    #expect(runner.geoq("export", "-o", "t.mbtiles").status == 0)
    let bytes = String(decoding: runner.bytes(of: "t.mbtiles"), as: UTF8.self)
    #expect(bytes.contains("attributionA &lt;b&gt;"))
  }
}

import Testing

/// `import`: what it reports, what it changes, what it refuses.
struct ImportCommandTests {
  private let runner = CommandRunner()

  @Test
  func `an import says what it did, on standard error`() {
    let result = runner.importSample()
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    #expect(
      result.err == "restaurants.json: 15 read, 15 inserted, 0 updated, 0 unchanged, 0 removed, "
        + "0 rejected → geoq.db\n"
    )
    #expect(runner.folder.names == ["geoq.db"])
    #expect(runner.geoq("list", "-f", "count").out == "15\n")
  }

  @Test
  func `a second import of the same feed leaves every byte alone`() {
    runner.importSample()
    let before = runner.bytes(of: "geoq.db")
    let result = runner.importSample()
    #expect(result.status == 0)
    #expect(result.err.contains("15 read, 0 inserted, 0 updated, 15 unchanged, 0 removed"))
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.folder.names == ["geoq.db"])
  }

  @Test
  func `a refresh inserts, updates and removes`() {
    runner.writeFeed(0..<5, to: "feed.json")
    runner.geoq("import", "feed.json")
    let text = runner.folder.text(of: "feed.json") ?? ""
    runner.writeFeed(2..<7, to: "feed.json")
    let changed = runner.folder.text(of: "feed.json")?.replacing("Place 3", with: "New")
    runner.folder.write(changed ?? "", to: "feed.json")
    #expect(changed != text)
    let result = runner.geoq("import", "feed.json", "--json")
    #expect(result.status == 0)
    let counts = ["read", "inserted", "updated", "unchanged", "removed", "rejected", "generation"]
      .map { result.json[$0] as? Int }
    #expect(counts == [5, 2, 1, 2, 2, 0, 2])
    #expect(result.json["schema"] as? String == "geoq.import/1")
    #expect(runner.geoq("list", "-f", "ids").outLines == ["r2", "r3", "r4", "r5", "r6"])
    #expect(runner.geoq("show", "r3", "--json=name").out.contains(#"{"name":"New"}"#))
  }

  @Test
  func `records that are missing stay where asked for`() {
    runner.writeFeed(0..<5, to: "feed.json")
    runner.geoq("import", "feed.json")
    runner.writeFeed([9], to: "feed.json")
    let result = runner.geoq("import", "feed.json", "--keep-missing")
    #expect(result.status == 0)
    #expect(result.err.contains("1 read, 1 inserted, 0 updated, 0 unchanged, 0 removed"))
    #expect(runner.geoq("list", "-f", "count").out == "6\n")
  }

  @Test
  func `a part of a feed is taken, and removes nothing`() {
    runner.writeFeed(0..<20, to: "feed.json")
    let first = runner.geoq("import", "feed.json", "--stop-after", "5")
    #expect(first.err.contains("5 read, 5 inserted, 0 updated, 0 unchanged, 0 removed"))
    runner.geoq("import", "feed.json")
    let again = runner.geoq("import", "feed.json", "--stop-after=5", "--strict")
    #expect(again.err.contains("5 read, 0 inserted, 0 updated, 5 unchanged, 0 removed"))
    #expect(runner.geoq("list", "-f", "count").out == "20\n")
    let all = runner.geoq("import", "feed.json", "--stop-after", "21", "--dry-run")
    #expect(all.err.contains("20 read, 0 inserted, 0 updated, 20 unchanged"))
    let none = runner.geoq("import", "feed.json", "--stop-after", "0")
    #expect(none.status == 64)
    #expect(none.err.contains("--stop-after must be 1 or more, got 0"))
  }

  @Test
  func `rejected records may go to standard output`() {
    runner.folder.write("name,lat,lon\nA,1,2\nB,95,2\n", to: "a.csv")
    let result = runner.geoq("import", "a.csv", "--reject-file", "-")
    #expect(result.status == 0)
    #expect(result.jsonLines.map { $0["line"] as? Int } == [3])
    #expect(runner.folder.names == ["a.csv", "geoq.db"])
    #expect(runner.geoq("import", "a.csv", "--reject-file", "-", "--json").status == 64)
  }

  @Test
  func `all records that were bad are counted, however many`() {
    let rows = (0..<10_500).map { "A\($0),95,2" }.joined(separator: "\n")
    runner.folder.write("name,lat,lon\n\(rows)\n", to: "a.csv")
    let result = runner.geoq("import", "a.csv")
    #expect(result.status == 65)
    #expect(result.err.contains("(and 10,499 more like it)"))
  }

  @Test
  func `a link to a database that is not there yet leads to it`() {
    runner.writeFeed(0..<3, to: "feed.json")
    #expect(runner.shell("mkdir disk && ln -s disk/real.db link.db").status == 0)
    #expect(runner.geoq("import", "feed.json", "--db", "link.db").status == 0)
    #expect(runner.shell("test -L link.db && test -f disk/real.db").status == 0)
    #expect(runner.geoq("list", "-f", "count", "--db", "link.db").out == "3\n")
    let bytes = runner.bytes(of: "disk/real.db").count
    #expect(runner.geoq("info", "--json", "--db", "link.db").json["bytes"] as? Int == bytes)
    let compact = runner.geoq("compact", "--json", "--db", "link.db").json
    #expect(compact["bytesBefore"] as? Int ?? 0 >= bytes)
    #expect(runner.shell("ln -s nowhere/x.db lost.db").status == 0)
    let lost = runner.geoq("import", "feed.json", "--db", "lost.db")
    #expect(lost.status == 69)
    #expect(lost.err.contains("the folder does not exist"))
  }

  @Test
  func `what follows the part that is taken is not looked at`() {
    runner.folder.write("name,lat,lon\nA,1,2\n\"B", to: "a.csv")
    #expect(runner.geoq("import", "a.csv").status == 65)
    #expect(runner.geoq("import", "a.csv", "--stop-after", "1").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "1\n")
  }

  @Test
  func `a feed that lost nearly everything is refused unless asked for`() {
    runner.writeFeed(0..<20, to: "feed.json")
    runner.geoq("import", "feed.json")
    let before = runner.bytes(of: "geoq.db")
    runner.writeFeed(0..<2, to: "feed.json")
    let result = runner.geoq("import", "feed.json")
    #expect(result.status == 65)
    #expect(
      result.err == "Error: geoq.db: the feed has only 2 restaurants; the source \"feed.json\" "
        + "had 20; nothing was changed; use --allow-shrink to import it anyway\n"
    )
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.geoq("import", "feed.json", "--allow-shrink").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "2\n")
    runner.writeFeed([], to: "feed.json")
    #expect(runner.geoq("import", "feed.json").status == 65)
    #expect(runner.geoq("import", "feed.json", "--allow-shrink").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "0\n")
  }

  @Test
  func `a feed with more than a tenth left is taken`() {
    runner.writeFeed(0..<20, to: "feed.json")
    runner.geoq("import", "feed.json")
    runner.writeFeed(0..<3, to: "feed.json")
    #expect(runner.geoq("import", "feed.json").err.contains("17 removed"))
  }

  @Test
  func `strict refuses a feed with a bad record`() {
    runner.makeFile(Array(TestFeed.position("95", "0").utf8), to: "feed.json")
    let result = runner.geoq("import", "feed.json", "--strict")
    #expect(result.status == 65)
    #expect(
      result.err == "Error: feed.json:1: record 1 (byte 16): latitude 95.0 is not in -90...90; "
        + "are latitude and longitude swapped? (--strict: the feed was rejected, nothing was changed)\n"
    )
    #expect(runner.folder.names == ["feed.json"])
    #expect(runner.importSample("--strict").status == 0)
  }

  @Test
  func `a dry run reports and writes nothing`() {
    let first = runner.importSample("--dry-run")
    #expect(first.status == 0)
    #expect(first.err.contains("15 inserted"))
    #expect(first.err.hasSuffix("(dry run, nothing was written)\n"))
    #expect(runner.folder.names.isEmpty)
    runner.writeFeed(0..<3, to: "feed.json")
    runner.geoq("import", "feed.json")
    let before = runner.bytes(of: "geoq.db")
    runner.writeFeed(1..<5, to: "feed.json")
    let second = runner.geoq("import", "feed.json", "--dry-run")
    #expect(second.err.contains("2 inserted, 0 updated, 2 unchanged, 1 removed"))
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.folder.names == ["feed.json", "geoq.db"])
  }

  @Test
  func `problems that differ only in their values are said once`() {
    let records = (0..<30).map { #"{"name":"N","location":{"lat":\#(100 + $0 / 2),"lng":1}}"# }
    let feed = #"{"restaurants":[\#(records.joined(separator: ",\n")),5,\#(TestFeed.good)]}"#
    runner.makeFile(Array((feed + "\n").utf8), to: "feed.json")
    let lines = runner.geoq("import", "feed.json").errLines
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("feed.json:1: record 1 (byte 16): latitude 100.0 is") == true)
    #expect(lines.first?.hasSuffix(" (and 29 more like it)") == true)
    #expect(lines.dropFirst().first?.hasPrefix("feed.json:30: record 31 ") == true)
  }

  @Test(
    arguments: [
      (["--input-format", "geojsn"], #"did you mean "geojson"?"#), (["-i", "xls"], "; known: "),
      (["--source", ""], "--source: expected a name"), (["-q", "-v"], "cannot be combined"),
      (["--stric"], "--strict"), (["second.json", "--source", "x"], "one feed at a time"),
      (["--db", ""], "--db: expected"), (["--lat-col", "y"], "give both"),
      (["--lat-col", "y", "--lon-col", "x", "--point-col", "p"], "one or the other"),
    ]
  )
  func `wrong options are usage errors`(options: [String], problem: String) {
    let result = runner.importSample(options)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix("Error: ") && result.err.contains(problem), "\(result.err)")
    #expect(runner.folder.names.isEmpty)
  }

  @Test
  func `a format said is not guessed`() {
    let result = runner.importSample("-i", "geojson")
    #expect(result.status == 65)
    #expect(
      result.err.hasSuffix(
        "restaurants.json:1: byte 0: this is not geojson but looks like bottlerocket; "
          + "omit the format\n"
      )
    )
    #expect(runner.importSample("-i", "BottleRocket").status == 0)
  }

  @Test
  func `quiet says nothing but errors`() {
    #expect(runner.importSample("-q").error.isEmpty)
    #expect(runner.importSample("--json", "-q").json["unchanged"] as? Int == 15)
    #expect(runner.geoq("import", "none.json", "-q").err == "Error: none.json: no such file\n")
  }

  @Test
  func `a packed table from standard input is read, with columns of its own names`() {
    runner.folder.write("who,n,e\nA,1,2\nB,x,4\n", to: "t.csv")
    let result = runner.shell(
      #"gzip -c t.csv | "$GEOQ" import - --name-col who --lat-col n --lon-col e --source t"#
    )
    #expect(result.status == 0)
    #expect(
      result.err.hasPrefix("standard input:3: record 2 (byte 14): latitude \"x\" is not a number\n")
    )
    #expect(
      runner.geoq("list", "--json=name,latitude").out.contains(#"{"name":"A","latitude":1.0}"#)
    )
  }

  @Test
  func `rejected records are kept with the reason where asked for`() {
    runner.folder.write(
      TestFeed.goodFeature + "\n{\"bad\": \"é\"}\nnot JSON\n" + TestFeed.goodFeature + "\n",
      to: "f.geojsons"
    )
    let result = runner.geoq("import", "f.geojsons", "--reject-file", "bad.jsonl")
    #expect(result.status == 0)
    let start = TestFeed.goodFeature.utf8.count + 1
    let lines = runner.folder.text(of: "bad.jsonl")?.split(separator: "\n").map(String.init) ?? []
    #expect(
      lines.prefix(2) == [
        #"{"source":"f.geojsons","record":2,"line":2,"byte":\#(start),"#
          + #""problem":"the record is not a GeoJSON Feature","text":"{\"bad\": \"é\"}"}"#,
        #"{"source":"f.geojsons","record":3,"line":3,"byte":\#(start + 14),"#
          + #""problem":"expected a value, found \"n\"","text":"not JSON"}"#,
      ]
    )
    #expect(lines.count == 3)
    #expect(lines.last?.contains("those of record 1") == true)
    let text = TestFeed.goodFeature.replacing("\"", with: "\\\"")
    #expect(lines.last?.hasSuffix("\"text\":\"\(text)\"}") == true)
  }

  @Test
  func `a feed that breaks off leaves no file of rejected records`() {
    runner.folder.write(TestFeed.goodFeature + "\n{\"bad\":1}\n{\"type\":", to: "f.geojsons")
    #expect(runner.geoq("import", "f.geojsons", "--reject-file", "bad.jsonl").status == 65)
    #expect(runner.folder.names == ["f.geojsons"])
  }
}

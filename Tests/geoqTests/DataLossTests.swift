import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ordinary imports that must not destroy data, as a user types them.
struct DataLossTests {
  private let runner = CommandRunner()

  /// Makes a table of restaurants with the ids given.
  private func writeTable(_ ids: ClosedRange<Int>, _ name: String, _ degrees: Int, to file: String)
  {
    let rows = ids.map { "\($0),\(name) \($0),\(degrees).\($0),\(degrees)\n" }
    runner.folder.write("id,name,latitude,longitude\n" + rows.joined(), to: file)
  }

  @Test
  func `two tables with ids 1 to 200 and a favorite live in one database`() {
    writeTable(1...200, "Air", 10, to: "airports.csv")
    writeTable(1...200, "Salz", 20, to: "salzburg.csv")
    runner.geoq("import", "airports.csv")
    runner.geoq("favorite", "add", "7")
    let result = runner.geoq("import", "salzburg.csv")
    #expect(result.status == 0)
    #expect(
      result.errLines == [
        "200 ids are also used by airports.csv; they are kept as salzburg.csv:ID",
        "salzburg.csv: 200 read, 200 inserted, 0 updated, 0 unchanged, 0 removed, "
          + "0 rejected → geoq.db",
        "extent: 10.0,10.1,20.0,20.99 (was 10.0,10.1,10.0,10.99)",
      ]
    )
    #expect(runner.geoq("list", "-f", "count").out == "400\n")
    #expect(runner.geoq("favorite", "list", "--json=name,gone").out.contains("Air 7"))
    let shown = runner.geoq("show", "salzburg.csv:7", "--json=name,source,sourceID").out
    #expect(shown.contains(#"{"name":"Salz 7","source":"salzburg.csv","sourceID":"7"}"#))
    #expect(runner.geoq("import", "salzburg.csv").err.contains("200 unchanged"))
    for file in ["all.geojson", "all.csv", "all.jsonl"] {
      runner.geoq("export", "-o", file)
      runner.geoq("import", file, "--db", file + ".db")
      runner.geoq("export", "--db", file + ".db", "-o", "again-" + file)
      #expect(runner.bytes(of: file) == runner.bytes(of: "again-" + file))
      #expect(runner.geoq("import", file).err.contains("400 unchanged"))
    }
  }

  @Test
  func `a second export-geojson from another folder does not replace the first`() {
    runner.writeFeed(0..<20, to: "export.geojson")
    runner.geoq("import", "export.geojson")
    let before = runner.bytes(of: "geoq.db")
    runner.writeFeed(100..<130, to: "export.geojson")
    let result = runner.geoq("import", "export.geojson")
    #expect(result.status == 65)
    #expect(
      result.err == "Error: geoq.db: the feed has none of the 20 restaurants that the source "
        + "\"export.geojson\" has; nothing was changed; if it is another feed, give it its own "
        + "--source NAME; to replace the restaurants of the source, use --allow-replace\n"
    )
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.geoq("import", "export.geojson", "--source", "second").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "50\n")
    let dropped = runner.geoq("import", "export.geojson", "--allow-replace", "--allow-duplicates")
    #expect(dropped.err.contains("30 inserted") && dropped.err.contains("20 removed"))
  }

  @Test
  func `the same feed by standard input is refused with both ways out`() {
    runner.writeFeed(0..<20, to: "a.json")
    runner.geoq("import", "a.json")
    let input = runner.bytes(of: "a.json")
    let result = runner.geoq("import", "-", input: input)
    #expect(result.status == 65)
    #expect(
      result.err == "Error: geoq.db: already in the source \"a.json\": 20 of 20 restaurants; "
        + "nothing was changed; to refresh that source, use "
        + "--source 'a.json'; to have both, use --allow-duplicates\n"
    )
    #expect(runner.geoq("import", "--source", "a.json", input: input).err.contains("20 unchanged"))
    #expect(runner.geoq("import", "--allow-duplicates", input: input).err.contains("20 inserted"))
    #expect(runner.geoq("list", "-f", "count").out == "40\n")
  }

  /// An import makes its files when its first batch is full, between 20 000 and 40 000 records.
  @Test(arguments: [SIGINT, SIGTERM], [false, true])
  func `an interrupted import says so and leaves no file`(_ signal: Int32, hasFiles: Bool) throws {
    // standard input stays open: the import waits for more
    let (reading, writing) = makePipe()
    let (errorEnd, error) = makePipe()
    let launch = ChildProcess.Launch(
      program: CommandRunner.tool,
      arguments: ["import"],
      folder: runner.folder.path
    )
    let child = try #require(ChildProcess(launch, input: reading, output: error, error: error))
    for descriptor in [reading, error] { close(descriptor) }
    let record = #"{"name":"A","latitude":1,"longitude":2}"# + "\n"
    let bytes = Array(String(repeating: record, count: hasFiles ? 60_000 : 1_500).utf8)
    // an import that does not read must not hold up the test
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    var sent = 0
    func isWaiting() -> Bool {
      sent += max(0, bytes[sent...].withUnsafeBytes { write(writing, $0.baseAddress, $0.count) })
      var unread: Int32 = 0
      _ = ioctl(writing, UInt(FIONREAD), &unread)
      let hasLock = runner.folder.names.contains("geoq.db.lock")
      return sent == bytes.count && unread == 0 && hasLock == hasFiles
    }
    for _ in 0..<6_000 where !isWaiting() { usleep(10_000) }
    #expect(isWaiting())
    kill(child.id, signal)
    #expect(child.wait() == 128 + signal)
    let said = String(decoding: readToEnd(of: errorEnd), as: UTF8.self)
    #expect(said == "Error: standard input: interrupted; nothing was imported\n")
    #expect(runner.folder.names.isEmpty)
    for descriptor in [writing, errorEnd] { close(descriptor) }
  }

  @Test
  func `doctor reports what a killed import has left, and the next one removes it`() {
    runner.copySample()
    runner.folder.write("x", to: "geoq.db.0123456789abcdef.tmp")
    runner.folder.write("x", to: "geoq.db.2.geoqx.0123456789abcdef.tmp")
    let doctor = runner.geoq("doctor")
    #expect(doctor.status == 1)
    #expect(
      doctor.out.contains("geoq.db.2.geoqx.0123456789abcdef.tmp: left by an interrupted import")
    )
    runner.importSample()
    #expect(runner.geoq("doctor").status == 0)
    #expect(runner.folder.names == ["geoq.db"])
  }
}

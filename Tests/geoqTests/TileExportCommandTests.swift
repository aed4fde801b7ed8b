import Testing

/// `export -o FILE.pmtiles`.
struct TileExportCommandTests {
  private let runner = CommandRunner.withSample()

  @Test
  func `an ending of pmtiles is a file of tiles`() {
    let result = runner.geoq("export", "-o", "lunch.pmtiles")
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    #expect(result.err == "lunch.pmtiles: 15 restaurants, 23 tiles, zoom 0 to 14\n")
    let bytes = runner.bytes(of: "lunch.pmtiles")
    #expect(bytes.starts(with: Array("PMTiles".utf8) + [3]))
    // the root directory and the tiles are gzip
    #expect(bytes[127..<129] == [0x1F, 0x8B])
    #expect(runner.folder.names == ["geoq.db", "lunch.pmtiles"])
  }

  @Test
  func `zooms and filters are those asked for`() {
    let result = runner.geoq(
      "export",
      "--min-zoom",
      "2",
      "--max-zoom",
      "9",
      "--category",
      "Thai",
      "--bbox",
      "-97,32,-96,34",
      "-o",
      "THAI.PMTILES"
    )
    #expect(result.status == 0)
    let count = runner.geoq(
      "list",
      "--category",
      "Thai",
      "-f",
      "count"
    ).out.dropLast()
    #expect(result.err.hasPrefix("THAI.PMTILES: \(count) restaurant"))
    #expect(result.err.hasSuffix("zoom 2 to 9\n"))
    #expect(runner.bytes(of: "THAI.PMTILES")[100..<102] == [2, 9])
  }

  @Test
  func `the same file is written again with force only, and is the same`() {
    runner.geoq("export", "--max-zoom", "12", "-o", "a.pmtiles")
    let first = runner.bytes(of: "a.pmtiles")
    #expect(runner.geoq("export", "--max-zoom", "12", "-o", "a.pmtiles").status == 73)
    #expect(runner.geoq("export", "--max-zoom", "12", "-o", "a.pmtiles", "--force").status == 0)
    #expect(runner.bytes(of: "a.pmtiles") == first)
    #expect(runner.folder.names == ["a.pmtiles", "geoq.db"])
  }

  @Test
  func `nothing found is a file without restaurants, and a hint`() {
    let result = runner.geoq("export", "-e", "--category", "Thay", "-o", "a.pmtiles")
    #expect(result.status == 4)
    #expect(result.err.hasPrefix("a.pmtiles: 0 restaurants, 0 tiles, zoom 0 to 14\n"))
    #expect(runner.geoq("export", "--text", "zzz", "-q", "-o", "b.pmtiles").status == 0)
    #expect(runner.bytes(of: "b.pmtiles").count > 127)
  }

  @Test(
    arguments: [
      (
        ["--min-zoom", "5", "--max-zoom", "3", "-o", "x.pmtiles"],
        "--min-zoom: 5 is above the --max-zoom of 3"
      ),
      (["--max-zoom", "23", "-o", "x.pmtiles"], "--max-zoom must be 0 to 22, got 23"),
      (["--min-zoom", "-1", "-o", "x.pmtiles"], "--min-zoom must be 0 to 22, got -1"),
      (["-f", "csv", "-o", "x.pmtiles"], "-f does not go with -o FILE.pmtiles, which"),
      (["--geojson", "-o", "x.pmtiles"], "--geojson does not go with -o FILE.pmtiles, which"),
      (["--json=id", "-o", "x.pmtiles"], "--json does not go with -o FILE.pmtiles, which"),
      (
        ["--columns", "id", "-o", "x.pmtiles"], "--columns does not go with -o FILE.pmtiles, which"
      ),
      (
        ["--max-zoom", "3", "-o", "-"],
        "--min-zoom and --max-zoom go with -o FILE.pmtiles or FILE.mbtiles"
      ),
      (["--max-zoom", "3"], "--min-zoom and --max-zoom go with -o FILE.pmtiles or FILE.mbtiles"),
      (
        ["--max-zoom", "3", "-o", "x.tiles"],
        "--min-zoom and --max-zoom go with -o FILE.pmtiles or FILE.mbtiles"
      ),
      (["--json", "-o", "x.mbtiles"], "--json does not go with -o FILE.mbtiles"),
      (["-o", "x.mbtiles.gz"], "-o: geoq does not write .mbtiles.gz"),
      (["-o", "x.pmtiles.gz"], "-o: geoq does not write .pmtiles.gz"),
      (["--db", "geoq.pmtiles", "-o", "geoq.pmtiles"], "-o: geoq.pmtiles is the database itself"),
    ]
  )
  func `what makes no sense is refused in a sentence`(arguments: [String], problem: String) {
    let result = runner.geoq(["export"] + arguments)
    #expect(result.status == 64)
    #expect(result.err.hasPrefix("Error: \(problem)"), "\(result.err)")
    #expect(runner.folder.names == ["geoq.db"])
  }

  @Test
  func `other commands write no tiles`() {
    let result = runner.geoq("list", "-o", "x.pmtiles")
    #expect(result.status == 64)
    #expect(result.err.hasPrefix("Error: -o: only geoq export writes .pmtiles and .mbtiles"))
    #expect(runner.geoq("list", "-f", "csv", "-o", "x.pmtiles").status == 0)
  }
}

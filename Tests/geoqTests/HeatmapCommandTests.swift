import Testing

/// `geoq heatmap`, and MBTiles.
struct HeatmapCommandTests {
  private let runner = CommandRunner.withSample()

  private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  @Test
  func `a picture is a PNG of the size asked for`() {
    let result = runner.geoq("heatmap", "--bbox", "-97,32,-96,33", "--width", "300", "-o", "a.png")
    #expect(result.status == 0 && result.output.isEmpty)
    let bytes = runner.bytes(of: "a.png")
    #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    #expect(number(bytes[16..<20]) == 300)
    let height = number(bytes[20..<24])
    #expect((355...358).contains(height))
    #expect(result.err == "a.png: 15 restaurants, 300 × \(height) pixels\n")
    let piped = runner.geoq("heatmap", "--bbox", "-97,32,-96,33", "--width", "300", "-o", "-")
    #expect(piped.output == bytes)
    #expect(runner.geoq("heatmap", "-o", "a.png").status == 73)
    #expect(runner.geoq("heatmap", "-o", "a.png", "--force", "--category", "Thai").status == 0)
    #expect(runner.bytes(of: "a.png") != bytes)
    #expect(runner.folder.names == ["a.png", "geoq.db"])
  }

  @Test(
    arguments: [
      (["--width", "0", "-o", "a.png"], "--width must be 1 to 8192, got 0"),
      (["--radius", "65", "-o", "a.png"], "--radius must be 0 to 64, got 65"),
      (["--bbox", "1,2,3", "-o", "a.png"], "--bbox: expected W,S,E,N"),
      (["--bbox", "1,2,1,3", "-o", "a.png"], "--bbox: the picture has no area"),
      (["--bbox", "0,-80,0.1,80", "-o", "a.png"], "--bbox: the picture has no area, or would be"),
      (["-o", "a.jpg"], "-o: a heat map is a PNG"),
      ([], "Missing expected argument"),
    ]
  )
  func `what makes no sense is refused in a sentence`(arguments: [String], problem: String) {
    let result = runner.geoq(["heatmap"] + arguments)
    #expect(result.status == 64)
    #expect(result.err.hasPrefix("Error: \(problem)"), "\(result.err)")
    #expect(runner.folder.names == ["geoq.db"])
  }

  @Test
  func `an ending of mbtiles is a database of tiles, and is written in one step`() {
    let result = runner.geoq("export", "--max-zoom", "9", "-o", "lunch.mbtiles")
    #expect(result.status == 0)
    #expect(result.err.hasPrefix("lunch.mbtiles: 15 restaurants, 10 tiles, zoom 0 to 9\n"))
    let bytes = runner.bytes(of: "lunch.mbtiles")
    #expect(bytes.starts(with: Array("SQLite format 3".utf8)))
    #expect(Array(bytes[68..<72]) == Array("MPBX".utf8))
    #expect(runner.folder.names == ["geoq.db", "lunch.mbtiles"])
    #expect(runner.geoq("export", "--max-zoom", "9", "-o", "lunch.mbtiles").status == 73)
    #expect(runner.geoq("export", "--max-zoom", "9", "-o", "lunch.mbtiles", "--force").status == 0)
    #expect(runner.bytes(of: "lunch.mbtiles") == bytes)
    #expect(runner.shell("mkfifo x.mbtiles; \"$GEOQ\" export -o x.mbtiles").status == 64)
  }

  @Test
  func `a file of tiles is served as a map`() {
    for ending in ["pmtiles", "mbtiles"] {
      runner.geoq("export", "--max-zoom", "9", "-o", "map.\(ending)")
      let json = runner.geoq("serve", "--tiles", "map.\(ending)", "--get", "/basemap.json")
      #expect(json.status == 0 && json.out.contains("\"maxzoom\":9"))
      let tile = runner.geoq("serve", "--tiles", "map.\(ending)", "--get", "/basemap/0/0/0")
      #expect(tile.output == runner.geoq("serve", "--get", "/tiles/0/0/0.mvt").output)
    }
    let missing = runner.geoq("serve", "--tiles", "none.pmtiles", "--get", "/")
    #expect(
      missing.status == 66 && missing.err.hasPrefix("Error: --tiles: none.pmtiles: no usable map")
    )
    runner.folder.write("nothing", to: "a.pmtiles")
    let other = runner.geoq("serve", "--tiles", "a.pmtiles", "--get", "/")
    #expect(other.status == 65 && other.err.contains("it is neither PMTiles nor MBTiles"))
  }
}

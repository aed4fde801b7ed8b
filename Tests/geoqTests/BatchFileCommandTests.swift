import Testing

/// `--at-file`: the points of a file, with their other columns.
struct BatchFileCommandTests {
  private let runner = CommandRunner.withSample()

  init() {
    runner.folder.write(
      "stop_id,name,lat,lon\nS1,Station,32.95,-96.82\nS2,\"Main, St\",32.9,-96.8\nS3,bad,99,1\n",
      to: "stops.csv"
    )
  }

  @Test
  func `the columns of a table are carried through, and a bad point costs no other`() {
    let result = runner.geoq(
      "nearest",
      "--at-file",
      "stops.csv",
      "-k1",
      "--columns",
      "name,distance",
      "-f",
      "csv"
    )
    #expect(result.status == 65)
    #expect(
      result.out == """
        line,stop_id,point_name,lat,lon,name,distance\r
        2,S1,Station,32.95,-96.82,Yard House,72.50034426262593\r
        3,S2,"Main, St",32.9,-96.8,Yard House,5909.417962146359\r

        """
    )
    #expect(
      result.errLines.first?.hasPrefix("stops.csv:4: record 3 (byte 70): latitude 99.0 is not in")
        == true
    )
    #expect(result.errLines.last == "Error: 1 point could not be read")
  }

  @Test
  func `a column of ids names the points`() {
    let result = runner.geoq(
      "nearest",
      "--at-file",
      "stops.csv",
      "-k1",
      "--id-col",
      "Stop_ID",
      "-f",
      "jsonl"
    )
    #expect(result.jsonLines.map { $0["id"] as? String } == ["S1", "S2", "S3"])
    #expect(result.jsonLines.last?["error"] != nil)
    let wrong = runner.geoq("nearest", "--at-file", "stops.csv", "--id-col", "uid")
    #expect(wrong.status == 64)
    #expect(wrong.err.contains("--id-col: no column \"uid\"; columns are stop_id, name, lat, lon"))
  }

  @Test
  func `GeoJSON brings its properties`() {
    runner.folder.write(
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":{"stop":"A"},
      "geometry":{"type":"Point","coordinates":[-96.82,32.95]}},
      {"type":"Feature","properties":null,"geometry":null}]}
      """,
      to: "stops.geojson"
    )
    let result = runner.geoq(
      "nearest",
      "--at-file",
      "stops.geojson",
      "-k1",
      "--columns",
      "name",
      "-f",
      "tsv"
    )
    #expect(result.out == "line\tid\tstop\tname\n1\t7\tA\tYard House\n")
    #expect(
      result.errLines.first == "stops.geojson:3: record 2 (byte 151): geometry is missing or null"
    )
    #expect(result.status == 65)
  }

  @Test
  func `one point a line needs no header, with a comma, a blank or a tab`() {
    runner.folder.write(
      "32.95,-96.82\n# a comment\n32.95 -96.82\n32.95\t-96.82\n",
      to: "points.txt"
    )
    let result = runner.geoq("nearest", "--at-file", "points.txt", "-k1", "--columns", "name")
    #expect(result.status == 0)
    #expect(result.out == "line\tname\n1\tYard House\n3\tYard House\n4\tYard House\n")
  }

  @Test
  func `standard input may be a table or GeoJSON as well`() {
    let table = Array("uid,lat,lon\nA,32.95,-96.82\n".utf8)
    let result = runner.geoq(
      "nearest",
      "--at",
      "-",
      "-k1",
      "--id-col",
      "uid",
      "--columns",
      "name",
      input: table
    )
    #expect(result.out == "uid\tlat\tlon\tname\nA\t32.95\t-96.82\tYard House\n")
    let point =
      #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[-96.82,32.95]}}"#
    let json = runner.geoq(
      "nearest",
      "--at",
      "-",
      "-k1",
      "--columns",
      "name",
      input: Array(point.utf8)
    )
    #expect(json.out == "line\tname\n1\tYard House\n")
  }

  @Test
  func `a file without points says what is expected`() {
    runner.folder.write("name,phone\nA,1\n", to: "no.csv")
    let result = runner.geoq("nearest", "--at-file", "no.csv")
    #expect(result.status == 65)
    #expect(
      result.err.contains("no.csv:1: byte 0: no latitude and longitude in the header")
    )
    #expect(runner.geoq("nearest", "--at-file", "none.csv").status == 66)
    #expect(runner.geoq("nearest", "--at-file", "no.csv", "--at", "1,2").status == 64)
    #expect(runner.geoq("nearest").err.contains("give a point: --at LAT,LON"))
  }

  @Test
  func `a batch can come as a table from standard input, and go to a file`() {
    let input = Array("id,lat,lon\nA,32.95,-96.82\n".utf8)
    let result = runner.geoq(
      "radius",
      "--at-file",
      "-",
      "-r",
      "100",
      "-o",
      "near.geojson",
      input: input
    )
    #expect(result.status == 0)
    #expect(
      runner.folder.text(of: "near.geojson")?.contains(#""line":2,"point_id":"A""#) == true
    )
  }

  /// One table in the seven shapes that programs write, with what import needs in addition.
  private static let shapes: [(file: String, text: String, options: [String])] = [
    ("a.csv", "name,lat,lon\nA,32.95,-96.82\nB,32.99,-96.85\n", []),
    ("b.csv", "\u{FEFF}name;Breitengrad;Längengrad\r\nA;32,95;-96,82\r\nB;32,99;-96,85\r\n", []),
    ("c.csv", "name,coordinates\nA,\"32.95, -96.82\"\nB,\"32.99, -96.85\"\n", []),
    ("d.csv", "Places\n\nname,lat,lon\nA,32°57'N,96°49.2'W\nB,32.99,-96.85\n", []),
    (
      "e.json", #"[{"name":"A","lat":32.95,"lon":-96.82},{"name":"B","lat":32.99,"lon":-96.85}]"#,
      []
    ),
    (
      "f.txt", "A|x|32.95|-96.82\nB|y|32.99|-96.85\n",
      [
        "--header", "name,kind,north,east",
        "--delimiter", "|", "--lat-col", "north", "--lon-col", "east",
      ]
    ),
    (
      "g.tsv", "name\twhere\nA\tPOINT (-96.82 32.95)\nB\tPOINT (-96.85 32.99)\n",
      ["--point-col", "where"]
    ),
  ]

  @Test(arguments: shapes.indices)
  func `a table in a shape that import reads is read like it`(shape: Int) throws {
    let (file, text, options) = Self.shapes[shape]
    runner.folder.write(text, to: file)
    let imported = runner.geoq(["--db", "\(shape).db", "import", file] + options)
    #expect(imported.status == 0, "\(imported.err)")
    let stored = runner.geoq("--db", "\(shape).db", "list", "--columns", "latitude,longitude")
    #expect(stored.outLines.dropFirst() == ["32.95\t-96.82", "32.99\t-96.85"])
    let ask = ["nearest", "-k1", "--columns", "id,distance"] + options
    let expected = ["32.95,-96.82", "32.99,-96.85"].map {
      runner.geoq("nearest", "-k1", "--columns", "id,distance", "--at", $0).outLines.last
    }
    let join = runner.geoq(ask + ["--at-file", file])
    let answers = join.outLines.dropFirst().map {
      $0.split(separator: "\t").suffix(2).joined(separator: "\t")
    }
    #expect(answers == expected, "\(join.err)")
    if shape != 3 {
      let piped = runner.geoq(ask + ["--at", "-"], environment: [:], input: Array(text.utf8))
      #expect(piped.out == join.out, "\(piped.err)")
    }
    let meet = runner.geoq(["meet", "-k1", "--at-file", file] + options)
    let given = runner.geoq("meet", "-k1", "--at", "32.95,-96.82", "--at", "32.99,-96.85")
    #expect(meet.out == given.out && meet.status == 0, "\(meet.err)")
  }

  @Test
  func `a point without a result is kept if asked for`() {
    runner.folder.write("uid,lat,lon\nA,32.95,-96.82\nB,0,1\n", to: "two.csv")
    let ask = ["radius", "-r", "100", "--at-file", "two.csv", "--columns", "uid,name"]
    #expect(runner.geoq(ask + ["-f", "csv"]).out == "uid,name\r\nA,Yard House\r\n")
    let kept = ask + ["--keep-unmatched"]
    #expect(runner.geoq(kept + ["-f", "csv"]).out == "uid,name\r\nA,Yard House\r\nB,\r\n")
    #expect(runner.geoq(kept).out == "uid\tname\nA\tYard House\nB\t\n")
    let map = runner.geoq(
      "radius",
      "-r",
      "100",
      "--at-file",
      "two.csv",
      "--keep-unmatched",
      "-f",
      "geojson"
    )
    #expect(
      map.out.contains(
        #"{"type":"Feature","geometry":null,"properties":{"line":3,"uid":"B","lat":"0","lon":"1"}}"#
      )
    )
    #expect(runner.geoq("nearest", "--at", "1,2", "--keep-unmatched").status == 64)
  }

  @Test
  func `several results have a rank, and columns are chosen from both sides`() {
    runner.folder.write(
      "uid,name,lat,lon\nA,Here,32.95,-96.82\nB,There,32.99,-96.85\n",
      to: "two.csv"
    )
    let ask = ["nearest", "--at-file", "two.csv", "-f", "csv"]
    let ranked = runner.geoq(ask + ["-k2", "--columns", "uid,rank,point_name,name"])
    #expect(ranked.out.hasPrefix("uid,rank,point_name,name\r\n"))
    #expect(
      ranked.outLines.dropFirst().map { String($0.prefix(9)) } == [
        "A,1,Here,", "A,2,Here,", "B,1,There", "B,2,There",
      ]
    )
    #expect(runner.geoq(ask + ["-k1", "--columns", "line,name"]).out.hasPrefix("line,name\r\n"))
    #expect(!runner.geoq(ask + ["-k1"]).outLines[0].contains("rank"))
    let wrong = runner.geoq(ask + ["--columns", "uid,nothing"])
    #expect(wrong.status == 64 && wrong.err.contains("unknown key \"nothing\""))
    #expect(runner.geoq("list", "--columns", "uid").status == 64)
  }

  @Test
  func `options for reading points need points to read`() {
    for options in [
      ["--lat-col", "a", "--lon-col", "b"], ["--delimiter", ";"], ["--order", "lon,lat"],
    ] {
      #expect(runner.geoq(["nearest", "--at", "1,2"] + options).status == 64)
      #expect(runner.geoq(["meet", "--at", "1,2", "--at", "1,3"] + options).status == 64)
    }
    #expect(runner.geoq("meet", "--at", "1,2", "--at-file", "stops.csv").status == 64)
    let bad = runner.geoq("meet", "--at-file", "stops.csv")
    #expect(bad.status == 65 && bad.err.contains("stops.csv:4"))
  }
}

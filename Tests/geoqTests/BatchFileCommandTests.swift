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
    #expect(result.errLines.first?.hasPrefix("stops.csv:4: latitude 99 is not in") == true)
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
    #expect(result.errLines.first == "stops.geojson:2: latitude or longitude is missing")
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
      result.err.contains("no.csv: found no points; expected CSV whose header names latitude")
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
}

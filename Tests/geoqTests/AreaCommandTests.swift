import Testing

/// `--within`, `--open` and the languages of `--where`.
struct AreaCommandTests {
  private let runner = CommandRunner.withSample()

  private static let area =
    "POLYGON((-96.84 32.94,-96.80 32.94,-96.80 32.96,-96.84 32.96,-96.84 32.94))"

  private func count(_ options: String...) -> String {
    runner.geoq(["list", "-f", "count"] + options).out
  }

  @Test
  func `within – an area as WKT, GeoJSON or a file – is a box if it is one`() {
    let geometry =
      #"{"type":"Polygon","coordinates":[[[-96.84,32.94],[-96.8,32.94],[-96.8,32.96],[-96.84,32.96],"#
      + "[-96.84,32.94]]]}"
    runner.folder.write(geometry, to: "area.geojson")
    let box = runner.geoq("bbox", "--bbox", "-96.84,32.94,-96.80,32.96", "-f", "ids").out
    for area in [Self.area, geometry, "area.geojson", "SRID=4326;" + Self.area] {
      #expect(runner.geoq("list", "--within", area, "-f", "ids").out == box, "\(area)")
    }
    let nearest = ["nearest", "--at", "32.95,-96.82", "-f", "ids"]
    let all = runner.geoq(nearest + ["-k", "15"]).outLines
    let inside = Set(box.split(separator: "\n").map(String.init))
    #expect(
      runner.geoq(nearest + ["-k", "5", "--within", Self.area]).outLines
        == Array(all.filter(inside.contains).prefix(5))
    )
  }

  @Test(
    arguments: [
      ("nofile", "there is no file and no saved area \"nofile\"; geoq area add", 66),
      ("./no", "no such file", 66), ("POLYGON((1 2))", "--within: ", 64),
      (#"{"type":"Point","coordinates":[1,2]}"#, "has no polygon", 64),
      ("POLYGON((0 0,nan 1,1 1,0 0))", "--within: ", 64),
      ("POLYGON((0 0,0 95,1 1,0 0))", "--within: ", 64),
    ] as [(String, String, Int32)]
  )
  func `within – what is not an area – is one sentence`(
    _ text: String,
    _ part: String,
    _ status: Int32
  ) {
    let result = runner.geoq("list", "--within", text)
    #expect(result.status == status && result.err.contains(part), "\(result.status) \(result.err)")
  }

  @Test
  func `within – a ring that is not closed – is closed with a warning`() {
    let open = "POLYGON((-96.84 32.94,-96.80 32.94,-96.80 32.96,-96.84 32.96))"
    let result = runner.geoq("list", "-f", "count", "--within", open)
    #expect(result.out == count("--within", Self.area))
    #expect(result.err.hasPrefix("warning: "), "\(result.err)")
  }

  @Test
  func `area – saved by name, by a key, and shown – filters like its outline`() {
    let inside = runner.geoq("list", "--within", Self.area, "-f", "ids").out
    #expect(
      runner.geoq("area", "add", Self.area, "--name", "old town").err == "saved \"old town\"\n"
    )
    #expect(runner.geoq("area", "add", Self.area, "--name", "old town").err == "1 unchanged\n")
    #expect(runner.geoq("area", "add", Self.area, "--name", "north/south").status == 0)
    #expect(
      runner.geoq("list", "--within", "north/south", "-f", "count").out
        == runner.geoq("list", "--within", "old town", "-f", "count").out
    )
    let unknown = runner.geoq("list", "--within", "no/such")
    #expect(unknown.status == 66 && unknown.err.contains("no/such: no such file"))
    let twice = runner.geoq("area", "remove", "north/south", "north/south")
    #expect(twice.err == "1 area removed\n")
    #expect(runner.geoq("list", "--within", "old town", "-f", "ids").out == inside)
    let shown = runner.geoq("area", "show").out
    runner.folder.write(shown.replacing("old town", with: "new town"), to: "areas.geojson")
    #expect(runner.geoq("area", "add", "areas.geojson").err == "saved \"new town\"\n")
    #expect(runner.geoq("list", "--within", "new town", "-f", "ids").out == inside)
    let list = runner.geoq("area", "list").outLines.map { $0.split(separator: "\t") }
    #expect(list.map { $0[0] } == ["area", "new town", "old town"] && list[1][1] == "5")
    // a file comes before an area of the same name
    runner.folder.write("POLYGON((0 0,1 0,1 1,0 0))", to: "old town")
    #expect(runner.geoq("list", "--within", "old town", "-f", "count").out == "0\n")
    runner.importSample()
    #expect(runner.geoq("area", "remove", "new town", "nowhere").status == 1)
    #expect(runner.geoq("area", "remove", "new town").err == "1 area removed\n")
    let gone = runner.geoq("list", "--within", "old tow")
    #expect(gone.status == 66 && gone.err.contains("did you mean \"old town\"?"), "\(gone.err)")
  }

  @Test(
    arguments: [
      (["add", "POLYGON((0 0,1 0,1 1,0 0))"], "has no property \"name\" that names it", 64),
      (["add", "nofile.geojson", "--name", "a"], "no such file", 66),
      (["add", "POINT(1 2)", "--name", "a"], "POINT", 66),
      (["add", "POLYGON((0 0,1 0,1 1,0 0))", "--name", "{"], "--name begins like", 64),
      (["add", "POLYGON((0 0,1 0,1 1,0 0))", "--name", "a", "--name-key", "b"], "give one", 64),
      (["show", "x"], "there is no saved area \"x\"; geoq area add FILE saves one", 1),
    ] as [([String], String, Int32)]
  )
  func `area – what cannot be saved or shown – is one sentence`(
    _ arguments: [String],
    _ part: String,
    _ status: Int32
  ) {
    let result = runner.geoq(["area"] + arguments)
    #expect(result.status == status && result.err.contains(part), "\(result.status) \(result.err)")
    #expect(runner.geoq("area", "list").out == "area\tpositions\tsaved\n")
  }

  @Test
  func `count – by areas – adds up, with those in none in a row of their own`() {
    let halves = """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","properties":{"n":"west"},"geometry":{"type":"Polygon","coordinates":
      [[[-97,32],[-96.83,32],[-96.83,33],[-97,33],[-97,32]]]}},
      {"type":"Feature","properties":{"n":"wide"},"geometry":{"type":"Polygon","coordinates":
      [[[-97,32],[-96.82,32],[-96.82,33],[-97,33],[-97,32]]]}}]}
      """
    runner.folder.write(halves, to: "halves.geojson")
    func number(_ box: String) -> Int {
      Int(runner.geoq("bbox", "--bbox", box, "-f", "count").out.dropLast()) ?? -1
    }
    let (west, wide) = (number("-97,32,-96.83,33"), number("-97,32,-96.82,33"))
    #expect(0 < west && west < wide && wide < 15)
    let rows = ["area,count", "wide,\(wide)", "west,\(west)", ",\(15 - wide)"]
    let count = ["count", "--by-area", "halves.geojson", "--name-key", "n", "-f", "csv"]
    #expect(runner.geoq(count).out == rows.map { $0 + "\r\n" }.joined())
    #expect(runner.geoq("area", "add", "halves.geojson", "--name-key", "n").status == 0)
    #expect(runner.geoq("count", "--by-area", "saved", "-f", "csv").out == runner.geoq(count).out)
    let map = runner.geoq("count", "--by-area", "saved", "-f", "geojson").out
    #expect(map.contains(#"{"name":"west","count":\#(west)}"#), "\(map)")
    #expect(runner.geoq("count").out == "15\n")
    #expect(runner.geoq("count", "--within", "west").out == "\(west)\n")
    let by = ["--by", "priceLevel", "-f", "csv"]
    #expect(
      runner.geoq(["count"] + by).out
        == runner.geoq("list", "--facets", "pricelevel", "-f", "csv").out
    )
    for wrong in [["--at", "1,2"], ["--name-key", "n"], ["--by", "x"], ["-f", "json"]] {
      #expect(runner.geoq(["count"] + wrong).status == 64, "\(wrong)")
    }
  }

  @Test
  func `cover – with a filter – has only places that match it`() {
    let cover = ["cover", "--at", "32.95,-96.82", "--want", "closed = false", "-f", "ids"]
    let nearest = ["nearest", "--at", "32.95,-96.82", "-k", "1", "-f", "ids"]
    let west = ["--within", "POLYGON((-97 32,-96.83 32,-96.83 33,-97 33,-97 32))"]
    #expect(runner.geoq(cover).out != runner.geoq(cover + west).out)
    #expect(runner.geoq(cover + west).out == runner.geoq(nearest + west).out)
  }

  @Test
  func `open – hours of several kinds – are read, and unknown ones are told`() {
    let rows = [
      "id,name,lat,lon,hours", "a,A,1,1,Mo-Fr 09:00-17:00", "b,B,1,2,24/7", "c,C,1,3,",
      "d,D,1,4,by chance",
      "e,E,1,5,Fr 22:00-02:00",
    ]
    runner.folder.write(rows.joined(separator: "\n"), to: "h.csv")
    #expect(runner.geoq("--db", "h.db", "import", "h.csv").status == 0)
    func open(_ time: String, _ more: String...) -> CommandResult {
      runner.geoq(["--db", "h.db", "list", "-f", "ids", "--open", time] + more)
    }
    // a Friday
    #expect(open("2026-11-27 12:30").outLines == ["a", "b"])
    #expect(open("2026-11-28 01:00").outLines == ["b", "e"])
    #expect(
      open("2026-11-28T02:00").err
        == "2 restaurants with unknown hours omitted at 2026-11-28T02:00; "
        + "--open-unknown includes them\n"
    )
    #expect(open("2026-11-28 02:00", "--open-unknown").outLines == ["b", "c", "d"])
    let nearest = [
      "--db", "h.db", "nearest", "--at", "1,1", "-k", "1", "--open", "2026-11-28 02:00",
    ]
    #expect(runner.geoq(nearest).err.hasPrefix("2 restaurants with unknown hours omitted"))
    #expect(runner.geoq(nearest + ["--max", "1km"]).err.contains("unknown hours") == false)
    #expect(open("now").status == 0)
    #expect(open("25:00").status == 64)
  }

  @Test
  func `where – or, not, in and null, and CQL2 – find the same`() {
    let short = runner.geoq(
      "list",
      "-f",
      "ids",
      "--where",
      "category in ('Thai', 'Burgers') or not city = Dallas and phone is null"
    )
    let cql = runner.geoq(
      "list",
      "-f",
      "ids",
      "--filter-lang",
      "cql2-text",
      "--where",
      "category IN ('Thai', 'Burgers') OR (NOT city = 'Dallas' AND phone IS NULL)"
    )
    #expect(short.status == 0 && !short.out.isEmpty && short.out == cql.out)
    let exact = ["list", "-f", "count", "--where", "category = 'thai'", "--filter-lang"]
    #expect(runner.geoq(exact + ["cql2-text"]).out == "0\n")
    #expect(runner.geoq(exact + ["geoq"]).out != "0\n")
    let wrong = runner.geoq(exact + ["sql"])
    #expect(wrong.status == 64 && wrong.err.contains("cql2-text or cql2-json"), "\(wrong.err)")
  }

  @Test(
    arguments: [
      ("open = true", "--open"), ("price > 3", "did you mean priceLevel?"),
      ("rating > 3 or", "column"),
      ("(rating > 3", "column"),
    ]
  )
  func `where – a wrong filter – is told with its column`(_ text: String, _ part: String) {
    let result = runner.geoq("list", "--where", text)
    #expect(result.status == 64 && result.err.contains(part), "\(result.err)")
  }
}

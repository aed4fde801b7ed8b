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
      ("nofile", "no such file", 66), ("POLYGON((1 2))", "--within: ", 64),
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

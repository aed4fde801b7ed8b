import Testing

/// Which keys an answer has, and how they are written.
struct ColumnsCommandTests {
  private let runner = CommandRunner()
  private static let longID = "a-very-long-id-that-does-not-fit-beside-anything-else-on-a-line"

  init() {
    runner.folder.write(
      """
      id,name,lat,lon,phone,rating,review_count,price,city
      1,Ann's,32.95,-96.82,+1 972-716-4004,4.5,10,2,Dallas
      2,=Bob,32.96,-96.82,-5,3,200,,Addison
      3,-2+3 Café,32.97,-96.82,@x,,30,3,Plano
      a-very-long-id-that-does-not-fit-beside-anything-else-on-a-line,Dee,32.98,-96.82,1,,,,Dallas

      """,
      to: "few.csv"
    )
    runner.geoq("import", "few.csv", "-q")
  }

  @Test(
    arguments: [
      ("csv", "name,id\r\nAnn's,1\r\n"), ("tsv", "name\tid\nAnn's\t1\n"),
      ("jsonl", "{\"name\":\"Ann's\",\"id\":\"1\"}\n"),
      ("table", "name   id\nAnn's  1\n1 of 4 restaurants shown; --limit N shows more\n"),
    ]
  )
  func `columns choose the keys and their order`(format: String, text: String) {
    let result = runner.geoq("list", "--columns", "NAME,id", "--limit", "1", "-f", format)
    #expect(result.out == text)
    let json = runner.geoq("list", "--columns", "name,id", "-f", "json")
    #expect(json.output == runner.geoq("list", "--json=name,id").output)
  }

  @Test(
    arguments: [
      (["--columns", "nme"], #"--columns: unknown key "nme"; did you mean "name"?"#),
      (["--columns", "id,ID"], #"the key "id" is given twice"#),
      (["--columns", "id", "-f", "geojson"], "--columns goes with the formats table"),
      (["--columns", "id", "--facets", "city"], "--columns does not go with counts"),
      (["--raw", "-f", "tsv"], "--raw goes with the format csv"),
    ]
  )
  func `wrong columns are a usage error`(options: [String], problem: String) {
    let result = runner.geoq(["list"] + options)
    #expect(result.status == 64)
    #expect(result.err.contains(problem), "\(result.err)")
  }

  @Test
  func `only what a spreadsheet would run gets an apostrophe, and raw has none`() {
    let guarded = runner.geoq("list", "--columns", "name,phone", "-f", "csv")
    #expect(
      guarded.out
        == "name,phone\r\nAnn's,+1 972-716-4004\r\n'=Bob,-5\r\n'-2+3 Café,'@x\r\nDee,1\r\n"
    )
    let raw = runner.geoq("list", "--columns", "name,phone", "-f", "csv", "--raw")
    #expect(
      raw.out == "name,phone\r\nAnn's,+1 972-716-4004\r\n=Bob,-5\r\n-2+3 Café,@x\r\nDee,1\r\n"
    )
  }

  @Test
  func `a table shows what the query is about, and rating and price if any has them`() throws {
    let wide = runner.geoq("list", "-f", "table")
    #expect(wide.outLines.first?.contains("rating  priceLevel") == true)
    #expect(wide.outLines.first?.contains("reviewCount") == false)
    let sorted = runner.geoq("list", "-f", "table", "--sort", "-reviewCount")
    #expect(sorted.outLines.first?.contains("reviewCount") == true)
    #expect(sorted.outLines.dropFirst().first?.hasPrefix("=Bob") == true)
    let filtered = runner.geoq("list", "-f", "table", "--where", "phone ~ 972")
    #expect(filtered.outLines.first?.contains("phone") == true)
  }

  @Test
  func `the id stays in a narrow table, or the footer says how to get it`() {
    let narrow = ["COLUMNS": "60"]
    let some = runner.geoq(
      ["list", "-f", "table", "--where", "rating > 0"],
      environment: narrow
    )
    #expect(some.outLines.first?.hasSuffix("id") == true)
    #expect(some.outLines.first?.contains("rating") == true)
    let all = runner.geoq(["list", "-f", "table"], environment: narrow)
    #expect(all.outLines.first?.contains("id") == false)
    #expect(all.outLines.last == "4 restaurants; -f ids shows the ids, which do not fit")
  }

  @Test(
    arguments: [
      (["--sort", "-rating"], ["1", "2", "3"]), (["--sort", "reviewCount"], ["1", "3", "2"]),
      (["--sort", "reviewcount", "--desc"], ["2", "3", "1"]), (["--sort=-city"], ["3", "1"]),
      (["--sort", "city"], ["2", "1"]), (["--sortby", "-priceLevel"], ["3", "1", "2"]),
      (["--sort", "-rating", "--sort", "-name"], ["1", "2", Self.longID]),
    ]
  )
  func `an order is by every key one expects, and a minus turns it`(
    options: [String],
    ids: [String]
  ) {
    let result = runner.geoq(["list", "-f", "ids"] + options)
    #expect(Array(result.outLines.prefix(ids.count)) == ids, "\(result.err)")
  }

  @Test
  func `pages of an order by city go on where the last one ended`() {
    for order in ["city", "-city", "-reviewCount", "category,-name"] {
      let all = runner.geoq("list", "-f", "ids", "--sort", order).outLines
      var found: [String] = []
      var cursor: [String] = []
      for _ in 0..<4 {
        let page = runner.geoq(
          ["list", "-f", "ids", "--limit", "1", "--sort", order] + cursor
        )
        found += page.outLines
        guard let next = page.errLines.first?.split(separator: " ").last else { break }
        cursor = ["--cursor", String(next)]
      }
      #expect(found == all)
    }
  }

  @Test
  func `another word for a key is understood`() {
    let result = runner.geoq("list", "--sort", "price")
    #expect(result.status == 64)
    #expect(result.err.contains(#"unknown key "price"; did you mean "priceLevel"?"#))
    #expect(
      runner.geoq("list", "--sort", "-reviws").err.contains(#"did you mean "-reviewCount"?"#)
        == false
    )
  }

  @Test
  func `conditions may be joined by and`() {
    let result = runner.geoq("list", "-f", "ids", "--where", "rating > 2 and city = Dallas")
    #expect(result.out == "1\n")
    #expect(
      runner.geoq("list", "-f", "ids", "--filter", "rating > 2 and city = Dallas").out == "1\n"
    )
    let wrong = runner.geoq("list", "--where", "name = Salt and Pepper")
    #expect(wrong.status == 64)
    #expect(wrong.err.contains(#"quote a value that contains the word "and""#))
  }

  @Test(arguments: [("list", "a.csv.gz", "csv"), ("export", "a.geojson.gz", "geojson")])
  func `a file that ends in gz is compressed`(command: String, file: String, format: String) {
    #expect(runner.geoq(command, "-o", file).status == 0)
    let plain = runner.geoq(command, "-f", format)
    #expect(runner.shell("gzip -dc \(file)").output == plain.output)
    #expect(runner.geoq("import", file, "--db", "other.db", "--source", "few.csv").status == 0)
  }

  @Test
  func `a made-up feed can be compressed too`() {
    runner.geoq("generate", "--size", "300", "-o", "g.csv.gz")
    runner.geoq("generate", "--size", "300", "-o", "g.csv")
    #expect(runner.shell("gzip -dc g.csv.gz").output == runner.bytes(of: "g.csv"))
  }
}

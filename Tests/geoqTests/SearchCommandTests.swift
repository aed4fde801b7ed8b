import Testing

/// `search`, conditions, orders and pages.
struct SearchCommandTests {
  private let runner = CommandRunner.withSample()

  private func names(_ arguments: String...) -> [String] {
    let result = runner.geoq(arguments + ["-f", "jsonl"])
    #expect(result.status == 0, "\(result.err)")
    return result.jsonLines.compactMap { $0["name"] as? String }
  }

  @Test
  func `search finds words of name, category, address and city`() {
    #expect(names("search", "glorias") == ["Gloria's"])
    #expect(names("search", "GLORIA’S") == ["Gloria's"])
    #expect(names("search", "yard", "dal") == ["Yard House"])
    #expect(names("search", "thai addison") == ["Thai Star"])
    #expect(names("search", "in-n-out") == ["In-N-Out Burger"])
    #expect(names("search", "\"* OR thai") == [])
    #expect(names("search", "burger", "--text", "hop") == ["Hopdoddy Burger Bar"])
    #expect(runner.geoq("search").status == 64)
    #expect(runner.geoq("search", " ").status == 64)
  }

  @Test
  func `search is by distance where a point is given`() {
    let near = runner.geoq("search", "burger", "--at", "32.95,-96.82", "-f", "jsonl")
    let distances = near.jsonLines.compactMap { $0["distance"] as? Double }
    #expect(distances.count == 2)
    #expect(distances == distances.sorted())
    #expect(near.jsonLines.first?["name"] as? String == "Hopdoddy Burger Bar")
    let far = runner.geoq("search", "burger", "--at", "-32.95,96.82", "-f", "count")
    #expect(far.out == "2\n")
  }

  @Test
  func `conditions work on every query`() {
    let commands = [
      ["nearest", "--at", "32.95,-96.82", "-k", "20"],
      ["radius", "--at", "32.95,-96.82", "-r", "50km"],
      ["bbox", "--bbox", "-97,32,-96,34"], ["list"], ["export"], ["search", "d"],
    ]
    for command in commands {
      let all = runner.geoq(command + ["--json=name,city"])
      let dallas = runner.geoq(
        command + ["--where", "city = DALLAS", "--where", "name ~ r", "--json=name,city"]
      )
      let items = all.json["items"] as? [[String: Any]] ?? []
      let expected = items.filter {
        ($0["city"] as? String)?.lowercased() == "dallas"
          && ($0["name"] as? String)?.lowercased().contains("r") == true
      }
      let found = dallas.json["items"] as? [[String: Any]] ?? []
      #expect(
        found.compactMap { $0["name"] as? String } == expected.compactMap { $0["name"] as? String }
      )
      #expect(!found.isEmpty && found.count < items.count, "\(command)")
    }
  }

  @Test(
    arguments: [
      (
        ["list", "--where", "ratng > 4"],
        "--where: unknown field \"ratng\" at column 1; did you mean rating?"
      ),
      (["list", "--where", "1=1; DROP TABLE restaurants"], "--where: unknown field \"1\""),
      (["list", "--where", "rating > x"], "rating is a number"),
      (["list", "--sort", "distance"], "--sort: distance needs a point to measure from"),
      (
        ["list", "--sort", "size"],
        "keys are distance, name, rating, priceLevel, reviewCount, category, city"
      ),
      (["list", "--desc"], "--desc goes with --sort"),
      (["list", "--cursor", "x"], "--cursor is damaged; copy all of it"),
      (["list", "--cursor", "x", "-f", "count"], "--cursor does not go with -f count"),
      (
        ["radius", "--at", "-", "-r", "5", "--cursor", "x"],
        "--cursor continues the results of one point"
      ),
      (["nearest", "--at", "-", "--cursor", "x"], "--cursor continues the results of one point"),
      (["nearest", "--at", "-", "--facets", "city"], "--facets does not go with --at -"),
      (["list", "--facets", "city", "--limit", "3"], "--facets does not go with --sort, --limit"),
      (["list", "--facets", "city", "-f", "geojson"], "counts need -f table, tsv, csv"),
      (["list", "--facets", "extra"], "'extra' is invalid for '--facets <field>'"),
      (["list", "--facets", "size"], "'size' is invalid for '--facets <field>'"),
      (["search", "a", "--at", "91,0"], "--at: "),
    ]
  )
  func `a wrong question is a usage error that says what to ask`(
    arguments: [String],
    problem: String
  ) {
    let result = runner.geoq(arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.err.contains(problem), "\(result.err)")
  }

  @Test
  func `an order is by name, and descends where asked`() {
    let sorted = names("list", "--sort", "name")
    #expect(sorted.count == 15)
    #expect(sorted == sorted.sorted { $0.lowercased() < $1.lowercased() })
    #expect(names("list", "--sort", "name", "--desc") == sorted.reversed())
    let far = names("radius", "--at", "32.95,-96.82", "-r", "50km", "--sort", "distance", "--desc")
    #expect(far == names("radius", "--at", "32.95,-96.82", "-r", "50km").reversed())
  }

  @Test
  func `pages go on where the last one ended`() throws {
    let whole = names("list", "--sort", "name")
    var found: [String] = []
    var cursor: [String] = []
    for _ in 0..<4 {
      let page = runner.geoq(
        ["list", "--sort", "name", "--limit", "4", "-f", "jsonl"] + cursor
      )
      found += page.jsonLines.compactMap { $0["name"] as? String }
      let next = page.errLines.first { $0.hasPrefix("next: --cursor ") }
      cursor = next.map { ["--cursor", String($0.dropFirst("next: --cursor ".count))] } ?? []
    }
    #expect(found == whole)
    #expect(cursor.isEmpty)
    let json = runner.geoq("list", "--limit", "4", "--json")
    #expect(json.error.isEmpty)
    let next = try #require(json.json["next"] as? String)
    #expect(runner.geoq("list", "--cursor", next, "-f", "ids").outLines.count == 11)
    let rest = runner.geoq("list", "--cursor", next, "-f", "ids").outLines
    runner.writeFeed(0..<20, to: "more.json")
    runner.geoq("import", "more.json")
    let later = runner.geoq("list", "--cursor", next, "-f", "ids")
    #expect(later.status == 0)
    #expect(Set(rest).isSubset(of: later.outLines))
    let foreign = runner.geoq("list", "--sort", "name", "--cursor", next)
    #expect(foreign.status == 64)
    #expect(foreign.err.contains("--cursor: belongs to another query"))
  }

  @Test
  func `the nearest are chosen first, then ordered and paged`() throws {
    let nearest = ["nearest", "--at", "32.95,-96.82", "-k", "6"]
    let all = runner.geoq(nearest + ["-f", "ids"]).outLines
    let sorted = nearest + ["--sort", "name", "-f", "ids"]
    let whole = runner.geoq(sorted).outLines
    #expect(Set(whole) == Set(all) && whole != all)
    let first = runner.geoq(sorted + ["--limit", "4"])
    let next = try #require(first.errLines.last?.split(separator: " ").last.map(String.init))
    let second = runner.geoq(sorted + ["--limit", "4", "--cursor", next])
    #expect(first.outLines + second.outLines == whole)
    #expect(second.error.isEmpty)
    #expect(runner.geoq(nearest + ["--limit", "4", "-f", "count"]).out == "4\n")
  }

  @Test
  func `facets count by a field, in every query and under its filters`() throws {
    let table = runner.geoq("list", "--facets", "category", "--text", "burger", "-f", "table")
    #expect(table.outLines.count == 4 && table.outLines.last == "2 restaurants")
    let tsv = runner.geoq("list", "--facets", "city")
    #expect(tsv.outLines.first == "city\tcount")
    let counts = tsv.outLines.dropFirst().compactMap {
      $0.split(separator: "\t").last.flatMap { Int($0) }
    }
    #expect(counts.reduce(0, +) == 15 && counts == counts.sorted(by: >))
    let csv = runner.geoq("list", "--facets", "city", "-f", "csv")
    #expect(csv.out == tsv.out.replacing("\t", with: ",").replacing("\n", with: "\r\n"))
    let json = runner.geoq(
      "radius",
      "--at",
      "32.95,-96.82",
      "-r",
      "50km",
      "--facets",
      "city",
      "--json"
    )
    #expect(json.json["schema"] as? String == "geoq.facets/1")
    #expect(json.json["field"] as? String == "city")
    #expect(json.json["count"] as? Int == 15)
    let items = try #require(json.json["items"] as? [[String: Any]])
    #expect(items.compactMap { $0["count"] as? Int } == counts)
    let none = runner.geoq("list", "--text", "zzz", "--facets", "category", "-e", "--json")
    #expect(none.status == 4)
    #expect(none.json["count"] as? Int == 0)
    let two = runner.geoq("nearest", "--at", "32.95,-96.82", "-k", "2", "--facets", "source")
    #expect(two.outLines.last?.hasSuffix("\t2") == true)
  }
}

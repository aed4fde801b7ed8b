import Testing

/// `list` and `show`, and the filters of every query.
struct FilterCommandTests {
  private let runner = CommandRunner.withSample()

  @Test
  func `list is ordered by id and takes all`() {
    let result = runner.geoq("list", "-f", "ids")
    #expect(result.status == 0)
    #expect(result.outLines.count == 15)
    #expect(
      result.outLines == result.outLines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    )
  }

  @Test
  func `list fits what a person asks for`() {
    let result = runner.geoq("list", "--category", "tap house", "-f", "table")
    #expect(
      result.out == """
        name                            category   address                    id
        Flying Saucer Draught Emporium  Tap House  14999 Montfort Dr, Dallas  \
        flying-saucer-draught-emporium-1e13aa01
        Yard House                      Tap House  5100 Belt Line Rd, Dallas  yard-house-dfd1f6d4
        2 restaurants

        """
    )
  }

  @Test
  func `show gives one restaurant in full`() throws {
    let result = runner.geoq("show", "hopdoddy-burger-bar-468cdd36", "-f", "table")
    #expect(result.status == 0)
    try expectSnapshot(result.out, "show.txt")
    let json = runner.geoq("show", "--json", "hopdoddy-burger-bar-468cdd36")
    let items = json.json["items"] as? [[String: Any]] ?? []
    #expect(items.first?["twitter"] as? String == "hopdoddy")
    #expect(items.first?["postalCode"] as? String == "75254")
  }

  @Test
  func `show names an unknown id and fails`() {
    let result = runner.geoq("show", "nobody")
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix(#"Error: no restaurant has the id "nobody"; "#))
    let mixed = runner.geoq("show", "nobody", "yard-house-dfd1f6d4", "noone", "-f", "ids")
    #expect(mixed.status == 1)
    #expect(mixed.out == "yard-house-dfd1f6d4\n")
    #expect(mixed.err.contains(#""nobody" (and 1 more)"#))
    #expect(runner.geoq("show", "nobody", "-e").status == 4)
    #expect(runner.geoq("show").status == 64)
  }

  @Test(
    arguments: [
      ("glorias", ["Gloria's"]), ("GLORIA’S", ["Gloria's"]), ("glória", ["Gloria's"]),
      ("in-n-out", ["In-N-Out Burger"]), ("yard dallas", ["Yard House"]), ("orias", []),
      ("belt seafood", []), ("!!!", []), ("thai addison", ["Thai Star"]),
    ]
  )
  func `text finds words by their beginning, without case, accents and apostrophes`(
    text: String,
    names: [String]
  ) {
    let result = runner.geoq("list", "--text", text, "-f", "jsonl")
    #expect(result.status == 0)
    #expect(result.jsonLines.compactMap { $0["name"] as? String } == names)
  }

  @Test
  func `accents in the feed are folded too`() {
    runner.makeFile(Array(TestFeed.name("\"Cafe\u{301} Œuvre\"").utf8), to: "feed.json")
    runner.geoq("import", "feed.json")
    for text in ["cafe oeuvre", "CAFÉ ŒUVRE", "Cafe\u{301}"] {
      #expect(runner.geoq("list", "--text", text, "-f", "count").out == "1\n", "\(text)")
    }
  }

  @Test
  func `filters work inside the search`() {
    let result = runner.geoq(
      "nearest",
      "--at",
      "32.95,-96.82",
      "-k",
      "2",
      "--category",
      "pub",
      "--category",
      "THAI",
      "-f",
      "jsonl"
    )
    #expect(Set(result.jsonLines.compactMap { $0["category"] as? String }) == ["Pub", "Thai"])
    let box = runner.geoq("bbox", "--bbox", "-97,32,-96,34", "--text", "burger", "-f", "count")
    #expect(box.out == "2\n")
    let export = runner.geoq("export", "--text", "burger", "-f", "ids")
    #expect(export.outLines.count == 2)
  }

  @Test
  func `an unknown category is not an error, but a hint`() {
    let result = runner.geoq("list", "--category", "Thay", "-f", "ids")
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    #expect(result.err == "no category \"Thay\"; did you mean \"Thai\"?\n")
    #expect(runner.geoq("list", "--category", "Thay", "-q").error.isEmpty)
    let far = runner.geoq("list", "--category", "Astronomy", "-f", "ids")
    #expect(far.err == "no category \"Astronomy\"; geoq list --facets category lists them\n")
  }

  @Test
  func `an exit status of 4 says that nothing was found, where asked for`() {
    #expect(runner.geoq("list", "--text", "zzz").status == 0)
    let nothing = runner.geoq("list", "--text", "zzz", "-e", "--json")
    #expect(nothing.status == 4)
    #expect(nothing.out == "{\"schema\":\"geoq.matches/1\",\"count\":0,\"items\":[]}\n")
    #expect(nothing.err == "no restaurant has a word that begins with \"zzz\"\n")
    #expect(runner.geoq("list", "--text", "yard", "--exit-status").status == 0)
    #expect(runner.geoq("list", "--text", "zzz", "-f", "count", "-e").status == 4)
    #expect(runner.geoq("radius", "--at", "0,0", "-r", "1", "-e").status == 4)
  }
}

import Testing

/// What is said to someone who found nothing, or typed what other tools understand.
struct AnswerHintCommandTests {
  private let runner = CommandRunner.withSample()

  @Test(
    arguments: [
      (
        ["radius", "--at", "32.95,96.82", "-r", "5km"],
        "nothing within 5 km; the nearest is 12,566 km away: is a minus sign missing, or one too many? "
          + "--at 32.95,-96.82 has one 73 m away"
      ),
      (
        ["nearest", "--at", "32.95,96.82", "-k1"],
        "the nearest is 12,566 km away: is a minus sign missing, or one too many? "
          + "--at 32.95,-96.82 has one 73 m away"
      ),
      (
        ["radius", "--at", "33.2,-96.82", "-r", "5km"],
        "nothing within 5 km; the nearest is 22 km away"
      ),
      (
        ["list", "--where", "city = Dalas"],
        "no restaurant has the city \"dalas\"; did you mean \"Dallas\"?"
      ),
      (["search", "yard", "zzz"], "no restaurant has a word that begins with \"zzz\""),
      (
        ["search", "yard", "chuy"],
        "there are restaurants with each of these words, but none with all of them"
      ),
      (
        ["bbox", "--bbox", "10,10,11,11"],
        "nothing in the box; the nearest is 10,957 km from its middle"
      ),
    ]
  )
  func `an empty or distant answer says what would help`(arguments: [String], hint: String) {
    let result = runner.geoq(arguments)
    #expect(result.status == 0)
    #expect(result.err == hint + "\n")
    #expect(runner.geoq(arguments + ["-q"]).error.isEmpty)
  }

  @Test
  func `a filter that nothing near fits says where something does`() {
    let result = runner.geoq(
      "radius",
      "--at",
      "32.95,-96.82",
      "-r",
      "100",
      "--where",
      "name ~ burger"
    )
    #expect(
      result.err
        == "of the 1 restaurant within 100 m none matches the filter; the nearest that does is 136 m away\n"
    )
  }

  @Test(
    arguments: [
      (["version"], "geoq --version shows it"), (["delete", "x"], "geoq remove ID"),
      (["list", "--map"], "geoq serve --open shows a map"),
      (["list", "--city", "Dallas"], "use --where 'city = …'"),
      (["list", "--order-by", "name"], "use --sort KEY"), (["ls"], "geoq list"),
    ]
  )
  func `a common guess is answered by meaning`(arguments: [String], advice: String) {
    let result = runner.geoq(arguments)
    #expect(result.status == 64)
    #expect(result.err.contains(advice), "\(result.err)")
  }

  @Test
  func `a limit above the count of nearest says what would give more`() {
    let result = runner.geoq("nearest", "--at", "32.95,-96.82", "--limit", "12", "-f", "count")
    #expect(result.out == "10\n")
    #expect(
      result.err == "note: --limit pages through the 10 nearest; -k 12 asks for more of them\n"
    )
  }

  @Test
  func `an extent around the world is one from -180 to 180`() {
    runner.folder.write(
      "name,lat,lon\n" + (0..<18).map { "P\($0),1,\($0 * 20 - 165)\n" }.joined() + "Q,2,-179\n",
      to: "world.csv"
    )
    runner.geoq("import", "world.csv", "--db", "world.db", "-q")
    let info = runner.geoq("info", "--db", "world.db")
    #expect(info.out.contains("extent       -180.0,1.0,180.0,2.0 (W,S,E,N)"), "\(info.out)")
    let export = runner.geoq("export", "--db", "world.db")
    #expect(export.out.contains(#""bbox":[-180.0,1.0,180.0,2.0]"#))
  }

  @Test
  func `a shell completes categories and ids from the database`() {
    let words = ["--", "--category", "3", "3", "geoq", "list", "--category", "tap"]
    let categories = runner.geoq(["---completion", "list"] + words)
    #expect(categories.outLines == ["Tap House"], "\(categories.err)")
    let ids = runner.geoq(
      ["---completion", "show", "--", "positional@0", "2", "4", "geoq", "show", "yard"]
    )
    #expect(ids.outLines == ["yard-house-dfd1f6d4"], "\(ids.err)")
    #expect(runner.geoq("completions", "bash").out.contains("---completion"))
  }
}

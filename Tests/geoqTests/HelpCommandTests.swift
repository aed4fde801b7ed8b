import Testing

/// Help, version, and words that are not command.
struct HelpCommandTests {
  private let runner = CommandRunner()

  private static let commands = [
    "import", "source", "remove", "nearest", "radius", "bbox", "search", "list", "show", "why",
    "count", "area", "export", "heatmap", "favorite", "offers", "cover", "meet", "serve", "init",
    "info", "verify", "backup",
    "compact", "duplicates",
    "doctor", "add", "edit", "hide", "bench", "generate", "completions",
  ]

  @Test
  func `the root explains itself`() throws {
    let result = runner.geoq("--help")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    try expectSnapshot(result.out, "help.txt")
    for spelling in [["-h"], ["help"], []] {
      #expect(runner.geoq(spelling).output == result.output, "\(spelling)")
    }
    for command in Self.commands { #expect(result.out.contains("\n  \(command)")) }
  }

  @Test(arguments: commands)
  func `a command explains itself`(command: String) throws {
    let result = runner.geoq(command, "--help")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    try expectSnapshot(result.out, "help-\(command).txt")
    #expect(runner.geoq("help", command).output == result.output)
  }

  @Test(
    arguments: [
      (["favorite", "lst"], #"favorite has no command "lst"; did you mean "list"?"#),
      (["fav", "xyz", "a"], #"fav has no command "xyz"; geoq fav --help lists the commands"#),
      (["import", "--stop-after", "-1", "x"], "--stop-after must be 1 or more, got -1"),
      (["generate", "--size", "-1"], "--size: expected a number of 0 or more, got -1"),
    ]
  )
  func `a misspelled part of a command is named`(arguments: [String], problem: String) {
    let result = runner.geoq(arguments)
    #expect(result.status == 64)
    #expect(result.err.contains(problem), "\(result.err)")
    #expect(!result.err.contains("Missing value"))
  }

  @Test(
    arguments: [
      ("favorite", ["add", "remove", "list", "import"]), ("source", ["list", "rename", "remove"]),
    ]
  )
  func `a command of a command explains itself`(command: String, parts: [String]) throws {
    for part in parts {
      let result = runner.geoq(command, part, "--help")
      #expect(result.status == 0)
      try expectSnapshot(result.out, "help-\(command)-\(part).txt")
    }
    let listed = runner.geoq(command, "--help").outLines.drop { $0 != "SUBCOMMANDS:" }
    #expect(listed.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.count == parts.count + 1)
  }

  @Test(arguments: ["formats", "filters", "coordinates", "environment", "exit-codes"])
  func `a topic has a page`(topic: String) throws {
    let result = runner.geoq("help", topic)
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    #expect(result.outLines.allSatisfy { $0.count <= (topic == "formats" ? 80 : 110) })
    try expectSnapshot(result.out, "help-\(topic).txt")
  }

  @Test
  func `the version names what it is built on`() {
    let result = runner.process(["--version"])
    #expect(result.status == 0)
    #expect(result.out.hasPrefix("geoq 0."))
    for part in ["(swift 6.", ", sqlite 3.", ", spatialite 5."] {
      #expect(result.out.contains(part))
    }
  }

  @Test(
    arguments: [
      (["nearst"], #"unknown command "nearst"; did you mean "nearest"?"#),
      (["nearst", "--at", "1,2"], #"did you mean "nearest"?"#),
      (["--db", "a.db", "-q", "ifno"], #"did you mean "info"?"#),
      (["LIST"], #"did you mean "list"?"#),
      (["xyzzy"], #"unknown command "xyzzy"; geoq --help lists the commands"#),
      (["\u{1B}[2J"], #"unknown command "\u{1b}[2J""#),
      (["help", "formts"], #"no help on "formts"; did you mean "formats"?"#),
      (["help", "xyzzy"], "topics are formats, filters, coordinates, environment, exit-codes"),
      (["list", "--limt", "3"], "--limit"), (["list", "more"], "more"), (["nearest"], "--at"),
    ]
  )
  func `a word that is none is a usage error with a hint`(arguments: [String], problem: String) {
    let result = runner.geoq(arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix("Error: ") && result.err.contains(problem), "\(result.err)")
    #expect(runner.folder.names.isEmpty)
  }
}

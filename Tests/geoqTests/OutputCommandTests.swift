import Testing

/// The forms of an answer, and where it goes.
struct OutputCommandTests {
  private let runner = CommandRunner.withSample()
  private static let near = ["nearest", "--at", "32.95,-96.82", "-k", "2"]

  private func near(_ options: String...) -> CommandResult {
    runner.geoq(Self.near + options)
  }

  @Test(arguments: ["tsv", "csv", "json", "jsonl", "geojson", "geojsonseq", "table"])
  func `each format has its shape`(format: String) throws {
    let result = near("-f", format)
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    try expectSnapshot(result.out, "nearest.\(format)")
  }

  @Test
  func `ids end in a line feed or in NUL, and a count is one number`() {
    #expect(near("-f", "ids").out == "yard-house-dfd1f6d4\npluckers-wing-bar-74180d44\n")
    #expect(near("-f", "ids", "-0").out == "yard-house-dfd1f6d4\0pluckers-wing-bar-74180d44\0")
    #expect(near("-f", "count").out == "2\n")
  }

  @Test
  func `a pipe gets tsv`() {
    #expect(near().output == near("-f", "tsv").output)
    #expect(near("-o", "-").output == near("-f", "tsv").output)
  }

  @Test
  func `json keeps the keys asked for, in the order asked for`() {
    let result = near("--json=name,id,distance")
    #expect(
      result.out == """
        {"schema":"geoq.matches/1","count":2,"items":[
        {"name":"Yard House","id":"yard-house-dfd1f6d4","distance":72.50034426262593},
        {"name":"Pluckers Wing Bar","id":"pluckers-wing-bar-74180d44","distance":110.27374840308627}
        ]}

        """
    )
    #expect(near("--json").output == near("-f", "json").output)
    #expect(near("--geojson").output == near("-f", "geojson").output)
  }

  @Test(
    arguments: [
      (["--json=nam"], #"unknown key "nam"; did you mean "name"?"#),
      (["--json=name,"], #"unknown key """#), (["--json", "--geojson"], "give one of"),
      (["-f", "xml"], "xml"), (["-f", "tsv", "-0"], "-0 goes with -f ids"), (["-o", ""], "-o: "),
      (["-f", "tsv", "--json=id"], "give one of"),
    ]
  )
  func `a wrong form is a usage error`(options: [String], problem: String) {
    let result = runner.geoq(Self.near + options)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix("Error: ") && result.err.contains(problem), "\(result.err)")
  }

  @Test(
    arguments: [
      ("a.csv", "csv"), ("a.tsv", "tsv"), ("a.json", "json"), ("a.jsonl", "jsonl"),
      ("a.ndjson", "jsonl"), ("a.geojson", "geojson"), ("A.GEOJSON", "geojson"),
      ("a.geojsons", "geojsonseq"), ("a.geojsonl", "geojsonseq"), ("a.txt", "tsv"),
    ]
  )
  func `the ending of a file chooses the format`(name: String, format: String) {
    let result = near("-o", name)
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    #expect(result.err == "\(name): 2 restaurants\n")
    #expect(runner.bytes(of: name) == near("-f", format).output)
    #expect(runner.folder.names == [name, "geoq.db"].sorted())
  }

  @Test
  func `a file is overwritten only by force, and a format said outdoes the ending`() {
    runner.folder.write("mine", to: "a.csv")
    let refusal = near("-o", "a.csv")
    #expect(refusal.status == 73)
    #expect(refusal.err == "Error: a.csv exists; use --force to overwrite it\n")
    #expect(runner.folder.text(of: "a.csv") == "mine")
    #expect(near("-o", "a.csv", "--force", "-f", "ids").status == 0)
    #expect(runner.bytes(of: "a.csv") == near("-f", "ids").output)
    #expect(runner.folder.names == ["a.csv", "geoq.db"])
  }

  @Test
  func `a file that cannot be made is refused, and no data is lost on the way`() {
    let result = near("-o", "none/a.csv")
    #expect(result.status == 73)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix("Error: cannot create none/a.csv: "))
    #expect(near("-o", ".").status == 73)
  }

  @Test
  func `a full device is an error`() {
    #expect(near("-o", "/dev/full").status == 74)
    #expect(runner.shell(#""$GEOQ" list > /dev/full"#).status == 74)
  }

  @Test
  func `a closed pipe ends quietly`() {
    runner.writeFeed(0..<3_000, to: "many.json")
    runner.geoq("import", "many.json")
    for command in ["list -f jsonl", "export", "list -f table --limit 9999", "list -f ids"] {
      let result = runner.shell(#"{ "$GEOQ" \#(command); echo "$?" >&2; } | head -n 1"#)
      #expect(result.outLines.count == 1)
      #expect(result.err == "0\n", "\(command)")
    }
  }

  @Test
  func `color follows the flag, then the environment`() {
    let run = { (options: [String], environment: [String: String]) in
      self.runner.geoq(["list", "-f", "table"] + options, environment: environment)
        .output.contains(0x1B)
    }
    #expect(!run([], [:]))
    #expect(run([], ["CLICOLOR_FORCE": "1"]))
    #expect(!run([], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]))
    #expect(run(["--color", "always"], ["NO_COLOR": "1"]))
    #expect(!run(["--color", "never"], ["CLICOLOR_FORCE": "1"]))
    #expect(runner.geoq("list", "--color", "green").status == 64)
  }
}

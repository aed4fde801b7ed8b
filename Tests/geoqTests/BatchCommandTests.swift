import Testing

/// `--at -`: one point a line.
struct BatchCommandTests {
  private let runner = CommandRunner.withSample()

  private static let points = Array(
    """
    # lunch
    32.95,-96.82

    here
    -33.8,151.2\r
      geo:32.99908456526653,-96.83018780300993
    95,0

    """.utf8
  )

  @Test
  func `points are answered in order, a bad line is named and costs no other`() {
    let result = runner.geoq("nearest", "--at", "-", "-k", "1", "-f", "jsonl", input: Self.points)
    #expect(result.status == 65)
    #expect(result.jsonLines.map { $0["line"] as? Int } == [2, 4, 5, 6, 7])
    let names = result.jsonLines.map { line in
      (line["items"] as? [[String: Any]])?.first?["name"] as? String
    }
    #expect(names[0] == "Yard House")
    #expect(names[1] == nil)
    #expect(names[2] != nil)
    #expect(result.jsonLines[1]["error"] as? String == #"expected LAT,LON, got "here""#)
    #expect(
      result.err == """
        standard input:4: expected LAT,LON, got "here"
        standard input:7: latitude 95 is not in -90...90; points are LAT,LON, did you swap them?
        Error: 2 lines could not be read

        """
    )
  }

  @Test(arguments: [("tsv", "\t", "\n"), ("csv", ",", "\r\n")])
  func `rows begin with the line they answer`(format: String, comma: String, end: String) {
    let result = runner.geoq("nearest", "--at", "-", "-k2", "-f", format, input: Self.points)
    #expect(result.status == 65)
    let lines = result.out.split(separator: end).map { $0.split(separator: comma)[0] }
    #expect(lines == ["line", "2", "2", "5", "5", "6", "6"])
    #expect(result.out.hasSuffix(end))
  }

  @Test
  func `good points alone are a success, also without a line end`() {
    let input = Array("32.95,-96.82\n32.9,-96.8".utf8)
    let result = runner.geoq("radius", "--at", "-", "-r", "100", input: input)
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    #expect(result.outLines.count == 2)
    #expect(result.out.hasPrefix("line\tid\tname\t"))
  }

  @Test
  func `nothing to answer is a success with a header`() {
    let result = runner.geoq("nearest", "--at", "-")
    #expect(result.status == 0)
    #expect(result.outLines.count == 1)
    #expect(runner.geoq("nearest", "--at", "-", "-f", "jsonl").output.isEmpty)
    #expect(runner.geoq("nearest", "--at", "-", "-e").status == 4)
  }

  @Test(arguments: ["json", "geojson", "geojsonseq", "ids", "count", "table"])
  func `every format has a place for many points`(format: String) {
    let result = runner.geoq("nearest", "--at", "-", "-k1", "-f", format, input: Self.points)
    #expect(result.status == 65)
    #expect(!result.output.isEmpty)
    #expect(result.errLines.count == 3)
  }

  @Test
  func `hostile lines are named and never end the run`() {
    let long = [UInt8](repeating: UInt8(ascii: "9"), count: 100_000)
    let input = [0xFF, 0xFE, 0x0A, 0x1B, 0x5B, 0x0A, 0, 0x0A] + long + Array("\n1,2\n".utf8)
    let result = runner.geoq("nearest", "--at", "-", "-k1", "-f", "jsonl", input: input)
    #expect(result.status == 65)
    #expect(result.jsonLines.map { $0["line"] as? Int } == [1, 2, 3, 4, 5])
    #expect(result.jsonLines.last?["items"] != nil)
    #expect(!result.error.contains(0x1B))
  }

  @Test(arguments: [["nearest", "-k", "1"], ["radius", "-r", "100"]])
  func `a strict batch stops at the first bad line`(command: [String]) {
    let arguments = command + ["--at", "-", "--strict", "-f", "jsonl"]
    let result = runner.geoq(arguments, environment: [:], input: Self.points)
    #expect(result.status == 65)
    #expect(result.jsonLines.map { $0["line"] as? Int } == [2, 4])
    #expect(result.jsonLines.last?["error"] != nil)
    #expect(result.errLines.last == "Error: 1 line could not be read; --strict stopped there")
    let two = Array("1,2\n3,4\n".utf8)
    let good = runner.geoq(arguments, environment: [:], input: two)
    #expect(good.status == 0)
    #expect(good.jsonLines.count == 2)
  }

  @Test
  func `only a batch can be strict`() {
    let result = runner.geoq("nearest", "--at", "1,2", "--strict")
    #expect(result.status == 64)
    #expect(result.err.contains("--strict: goes with --at - and --at-file only"))
  }

  @Test
  func `a closed pipe ends a batch quietly`() {
    let result = runner.shell(
      #"{ yes 32.95,-96.82 | head -n 500 | "$GEOQ" nearest --at - -k 15; echo "$?" >&2; } | head -n 1"#
    )
    #expect(result.err == "0\n")
  }
}

import Testing

/// `--explain`: what the index did, next to an answer that stays what it was.
struct ExplainCommandTests {
  private let runner = CommandRunner.withSample()

  private static let names = [
    "nodesVisited", "nodesPruned", "subtreesTaken", "leavesScanned", "pointsScanned",
    "distancesSolved", "longGeodesicsSolved",
  ]
  private static let queries = [
    ["nearest", "--at", "32.95,-96.82", "-k", "2"],
    ["radius", "--at", "32.95,-96.82", "-r", "300"],
    ["bbox", "--bbox", "-96.9,32.98,-96.8,33"],
  ]

  private func run(_ query: [String], _ options: String...) -> CommandResult {
    runner.geoq(query + options)
  }

  private func counts(_ document: [String: Any]) -> [String: Int] {
    document["explain"] as? [String: Int] ?? [:]
  }

  @Test(arguments: queries)
  func `json has the counts in its document, and the same items`(query: [String]) {
    let result = run(query, "--json", "--explain")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    let counts = counts(result.json)
    #expect(Set(counts.keys) == Set(Self.names))
    #expect(counts.values.allSatisfy { $0 >= 0 })
    // without the explanation, it is the plain answer
    let plain = run(query, "--json").out
    #expect(!plain.contains("explain"))
    let pieces = result.out.split(separator: #","explain":{"#, maxSplits: 1)
    let rest = pieces.last?.split(separator: "},", maxSplits: 1).last ?? ""
    #expect(pieces.count == 2 && "\(pieces[0]),\(rest)" == plain)
  }

  @Test(arguments: queries, ["tsv", "csv", "jsonl", "geojson", "geojsonseq", "ids", "table"])
  func `other formats stay byte for byte, the counts are on standard error`(
    query: [String],
    format: String
  ) {
    let result = run(query, "-f", format, "--explain")
    #expect(result.status == 0)
    #expect(result.output == run(query, "-f", format).output)
    let counts = counts(run(query, "--json", "--explain").json)
    let number = { (name: String) in String(counts[name] ?? -1) }
    #expect(
      result.err == """
        explain: nodes: \(number("nodesVisited")) visited, \(number("nodesPruned")) pruned; \
        subtrees accepted without tests: \(number("subtreesTaken"))
        explain: leaves scanned: \(number("leavesScanned")), points in them: \(number("pointsScanned"))
        explain: distances solved: \(number("distancesSolved")), \
        of these beyond 400 km: \(number("longGeodesicsSolved"))

        """
    )
  }

  @Test
  func `the counts fit the question`() {
    let near = counts(run(Self.queries[0], "--json", "--explain").json)
    #expect(near["leavesScanned", default: 0] > 0)
    #expect(near["pointsScanned", default: 0] >= 2)
    #expect(near["distancesSolved", default: 0] >= 2)
    #expect(near["longGeodesicsSolved"] == 0)
    let far = counts(
      runner.geoq("nearest", "--at", "-33.8,151.2", "-k", "3", "--json", "--explain").json
    )
    #expect(far["longGeodesicsSolved", default: 0] >= 3)
    #expect(far["longGeodesicsSolved", default: 0] <= far["distancesSolved", default: 0])
    let radius = counts(run(Self.queries[1], "--json", "--explain").json)
    #expect(radius["distancesSolved", default: 0] >= 4)
    let box = counts(run(Self.queries[2], "--json", "--explain").json)
    #expect(box["distancesSolved"] == 0 && box["longGeodesicsSolved"] == 0)
    #expect(box["leavesScanned", default: 0] + box["subtreesTaken", default: 0] > 0)
  }

  @Test(arguments: queries)
  func `a count is explained too, and a file gets none of it`(query: [String]) {
    let count = run(query, "-f", "count", "--explain")
    #expect(count.output == run(query, "-f", "count").output)
    #expect(count.errLines.count == 3)
    let file = run(query, "-o", "a.csv", "--explain")
    #expect(file.errLines.count == 4)
    #expect(runner.bytes(of: "a.csv") == run(query, "-f", "csv").output)
  }

  @Test
  func `a batch is explained line by line in jsonl, in all elsewhere`() {
    let points = Array("32.95,-96.82\nhere\n-33.8,151.2\n".utf8)
    let batch = ["nearest", "--at", "-", "-k", "1", "--explain", "-f"]
    let lines = runner.geoq(batch + ["jsonl"], input: points)
    #expect(lines.status == 65)
    let explained = lines.jsonLines.map(counts)
    #expect(explained.map(\.count) == [7, 0, 7])
    #expect(!lines.err.contains("explain"))
    let rows = runner.geoq(batch + ["tsv"], input: points)
    let total = Self.names.map { name in explained.reduce(0) { $0 + $1[name, default: 0] } }
    #expect(rows.err.contains("explain (2 queries): nodes: \(total[0]) visited"))
    #expect(rows.err.contains("explain (2 queries): distances solved: \(total[5]), "))
  }

  @Test(arguments: [["list"], ["export"], ["show", "yard-house-dfd1f6d4"]])
  func `what asks no index has nothing to explain`(command: [String]) {
    let result = run(command, "--explain")
    #expect(result.status == 64)
    #expect(result.err.contains("--explain"))
  }
}

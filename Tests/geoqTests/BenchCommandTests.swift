import Foundation
import Testing

/// What `geoq bench` reports and writes.
///
/// How long things take is not asserted.
struct BenchCommandTests {
  private let runner = CommandRunner()

  private static let keys: Set = [
    "schema", "op", "k", "points", "queries", "usPerQuery", "p50us", "p99us", "p999us", "hits",
    "nsPerHit", "buildSeconds", "bytesPerPoint", "openSeconds", "threads", "rounds",
  ]
  private static let small = ["bench", "--size", "2000", "--count", "40"]

  private func run(_ arguments: [String]) -> CommandResult {
    runner.run(CommandRunner.tool, arguments)
  }

  @Test
  func `json has what was measured, and null for the rest`() {
    let result = run(Self.small + ["--json", "-k5", "--rounds", "2"])
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    let report = result.json
    #expect(Set(report.keys) == Self.keys)
    #expect(report["schema"] as? String == "geoq.bench/1")
    #expect(report["op"] as? String == "nearest" && report["k"] as? Int == 5)
    #expect(report["points"] as? Int == 2_000 && report["queries"] as? Int == 40)
    #expect(report["hits"] as? Int == 200)
    #expect((report["rounds"] as? [Double])?.count == 2)
    #expect(report["openSeconds"] is NSNull)
    for key in ["usPerQuery", "p50us", "p99us", "p999us", "nsPerHit", "bytesPerPoint"] {
      #expect(report[key] as? Double ?? 0 > 0, "\(key)")
    }
  }

  @Test(arguments: [
    (["--radius", "5km"], "radius", "radius"), (["--half-width", "1"], "bbox", "halfWidth"),
  ])
  func `a radius or a box has its size instead of k`(size: [String], operation: String, key: String)
  {
    let report = run(Self.small + size + ["--json"]).json
    #expect(report["op"] as? String == operation)
    #expect(report["k"] is NSNull)
    #expect(Set(report.keys) == Self.keys.union([key]))
    let sorted = run(Self.small + size + ["--json", "--sorted"]).json
    let counted = run(Self.small + size + ["--json", "--count-only"]).json
    #expect(report["hits"] as? Int ?? 0 > 0)
    #expect(report["hits"] as? Int == sorted["hits"] as? Int)
    #expect(report["hits"] as? Int == counted["hits"] as? Int)
  }

  @Test
  func `people get a fact a line`() {
    let result = run(Self.small)
    #expect(result.status == 0)
    let names = result.outLines.map { $0.prefix { $0 != " " } }
    #expect(
      names == ["points", "operation", "queries", "per", "answers", "threads", "build", "memory"]
    )
    #expect(result.out.contains("answers    400, 10.0 a query"))
  }

  @Test
  func `files of pairs are answered by position`() {
    makePairs([(0, 0), (1, 0), (0, 2), (-179.9, 0)], "points.f64")
    makePairs([(0, 0.001), (180, 0)], "queries.f64")
    let files = ["bench", "--points", "points.f64", "--queries", "queries.f64", "--answers"]
    #expect(run(files + ["near.jsonl", "-k", "2"]).status == 0)
    let near = lines(of: "near.jsonl")
    #expect(near.map { $0["q"] as? Int } == [0, 1])
    #expect(near.map { $0["ids"] as? [Int] } == [[0, 1], [3, 2]])
    let distances = near[0]["d"] as? [Double] ?? []
    #expect(distances.count == 2 && abs(distances[0] - 110.574) < 0.001)
    #expect(run(files + ["box.jsonl", "--half-width", "1.5"]).status == 0)
    let boxes = lines(of: "box.jsonl")
    #expect(boxes.map { $0["ids"] as? [Int] } == [[0, 1], [3]])
    #expect(boxes.allSatisfy { $0["d"] == nil })
    #expect(run(files + ["count.jsonl", "--radius", "300km", "--count-only"]).status == 0)
    #expect(lines(of: "count.jsonl").map { $0["count"] as? Int } == [3, 1])
    #expect(run(files + ["near.jsonl"]).status == 73)
    #expect(run(files + ["near.jsonl", "--force", "--count", "1"]).status == 0)
    #expect(lines(of: "near.jsonl").count == 1)
  }

  @Test
  func `one call for all queries has the answers of one each`() {
    #expect(run(Self.small + ["--answers", "each.jsonl"]).status == 0)
    let batch = run(Self.small + ["--answers", "batch.jsonl", "--threads", "2", "--json"])
    #expect(batch.status == 0)
    #expect(batch.json["threads"] as? Int == 2)
    #expect(batch.json["p50us"] is NSNull)
    #expect(runner.bytes(of: "each.jsonl") == runner.bytes(of: "batch.jsonl"))
    #expect(run(Self.small + ["--batch", "--json"]).json["threads"] is NSNull)
  }

  @Test
  func `a seed repeats the points and the queries, another makes others`() {
    for (name, seed) in [("a", "7"), ("b", "7"), ("c", "8")] {
      #expect(run(Self.small + ["--seed", seed, "--answers", name]).status == 0)
    }
    #expect(runner.bytes(of: "a") == runner.bytes(of: "b"))
    #expect(runner.bytes(of: "a") != runner.bytes(of: "c"))
  }

  @Test(arguments: [
    [], ["--radius", "50km"], ["--half-width", "2"], ["--radius", "9", "--count-only"],
  ])
  func `a filter is checked against full scans`(operation: [String]) {
    let result = run(Self.small + operation + ["--filter-every", "50", "--json"])
    #expect(result.status == 0, "\(result.err)")
    #expect(result.json["scanQueries"] as? Int == 40)
    #expect(result.json["scanUsPerQuery"] as? Double ?? 0 > 0)
    #expect(result.json["listScanUsPerQuery"] as? Double ?? 0 > 0)
    if operation.isEmpty { #expect(result.json["hits"] as? Int == 400) }
  }

  @Test
  func `a snapshot is written once, opened, and answers as the tree`() {
    let snapshot = Self.small + ["--snapshot", "s.geoqx", "--json", "--answers"]
    let first = run(snapshot + ["first"])
    #expect(first.status == 0, "\(first.err)")
    #expect(first.json["buildSeconds"] is Double && first.json["openSeconds"] is Double)
    let bytes = runner.bytes(of: "s.geoqx")
    let second = run(snapshot + ["second"])
    #expect(second.json["buildSeconds"] is NSNull)
    #expect(second.json["openToAnswerSeconds"] as? Double ?? 0 > 0)
    #expect(runner.bytes(of: "s.geoqx") == bytes)
    #expect(run(Self.small + ["--answers", "built"]).status == 0)
    #expect(runner.bytes(of: "first") == runner.bytes(of: "built"))
    #expect(runner.bytes(of: "second") == runner.bytes(of: "built"))
    let other = run(["bench", "--size", "2000", "--seed", "2", "--snapshot", "s.geoqx"])
    #expect(other.status == 65)
    #expect(other.err.contains("s.geoqx: a snapshot of other points"))
    makePairs([(1, 2)], "queries.f64")
    let alone = run(["bench", "--queries", "queries.f64", "--snapshot", "s.geoqx", "--json"])
    #expect(alone.json["points"] as? Int == 2_000)
    runner.folder.write("no snapshot", to: "s.geoqx")
    #expect(run(Self.small + ["--snapshot", "s.geoqx"]).status == 65)
  }

  @Test
  func `a database is measured to its restaurants, SpatiaLite's way beside it`() {
    runner.importSample()
    let before = runner.bytes(of: "geoq.db")
    for operation in [["-k", "3"], ["--radius", "1km"], ["--half-width", "0.02"]] {
      let result = run(["bench", "--db", "geoq.db", "--count", "20", "--json"] + operation)
      #expect(result.status == 0, "\(result.err)")
      #expect(result.json["points"] as? Int == 15)
      #expect(result.json["hits"] as? Int ?? 0 > 0)
      #expect(result.json["spatialiteQueries"] as? Int == 20)
      #expect(result.json["spatialiteDisagreements"] as? Int == 0)
      #expect(result.json["database"] as? String == "geoq.db")
    }
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.folder.names == ["geoq.db"])
    #expect(run(["bench", "--db", "none.db"]).status == 69)
  }

  private func makePairs(_ pairs: [(Double, Double)], _ name: String) {
    runner.makeFile(Self.bytes(of: pairs), to: name)
  }

  private static func bytes(of pairs: [(Double, Double)]) -> [UInt8] {
    pairs.flatMap { [$0.0, $0.1] }.flatMap { value in
      withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
    }
  }

  private func lines(of name: String) -> [[String: Any]] {
    CommandResult(status: 0, output: runner.bytes(of: name), error: []).jsonLines
  }
}

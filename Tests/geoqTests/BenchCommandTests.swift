import Foundation
import Testing

/// What `geoq bench` reports and writes.
///
/// How long things take is not asserted.
struct BenchCommandTests {
  private let runner = CommandRunner()

  private static let keys: Set = [
    "schema", "op", "k", "points", "queries", "usPerQuery", "p50us", "p99us", "p999us", "hits",
    "nsPerHit", "buildSeconds", "bytesPerPoint", "threads", "rounds", "instructions",
  ]
  private static let small = ["bench", "--size", "2000", "--count", "40"]

  private func run(_ arguments: [String]) -> CommandResult {
    runner.geoq(arguments)
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
    let counted = run(Self.small + size + ["--json", "--count-only"]).json
    #expect(report["hits"] as? Int ?? 0 > 0)
    #expect(report["hits"] as? Int == counted["hits"] as? Int)
  }

  @Test
  func `people get a fact a line`() {
    let result = run(Self.small)
    #expect(result.status == 0)
    let names = result.outLines.map { $0.prefix { $0 != " " } }
    #expect(
      names == [
        "points", "operation", "queries", "per", "answers", "threads", "built", "build", "memory",
      ]
    )
    #expect(result.out.contains("x86-64") != result.out.contains("arm64"))
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

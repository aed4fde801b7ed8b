import Foundation
import Testing

/// Feeds that are broken, wrong or malicious, against the built tool.
struct HostileFeedTests {
  private let runner = CommandRunner()

  /// The bytes of a database with the sample feed, made once.
  private static let database: [UInt8] = {
    let runner = CommandRunner()
    runner.copySample()
    return runner.bytes(of: "geoq.db")
  }()

  @Test(
    arguments: RefusedFeed.bytes + RefusedFeed.grammar + RefusedFeed.shapes + RefusedFeed.kinds
  )
  func `a feed that is none is refused in one sentence and the database keeps its bytes`(
    feed: RefusedFeed
  ) {
    runner.makeFile(Self.database, to: "geoq.db")
    runner.makeFile(feed.bytes, to: "feed.json")
    // as where GDAL is not installed
    let result = runner.geoq("import", "feed.json", environment: ["PATH": ""])
    #expect(result.status == 65)
    #expect(result.output.isEmpty)
    #expect(result.errLines.count == feed.badRecords + 1)
    for (number, line) in result.errLines.dropLast().enumerated() {
      #expect(line.hasPrefix("feed.json:1: record \(number + 1) (byte "))
    }
    #expect(result.errLines.last?.hasPrefix("Error: ") == true)
    #expect(result.err.contains(feed.reason), "\(result.err)")
    expectDatabaseIsAsItWas()
  }

  @Test(
    arguments: OddRecord.values + OddRecord.positions + OddRecord.ids + OddRecord.words
      + OddRecord.geometries
  )
  func `an odd record is kept as it is or named, and costs no other`(record: OddRecord) {
    // another source is there already: making a database costs more than the import
    runner.copySample()
    runner.makeFile(record.bytes, to: "feed.json")
    let result = runner.geoq("import", "feed.json")
    let errLines = result.errLines.filter {
      !$0.hasPrefix("extent: ") && !$0.hasPrefix("not recognized")
    }
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    let export = runner.geoq("export", "-f", "jsonl", "--where", "source = feed.json")
    #expect(export.status == 0)
    #expect(export.jsonLines.contains { $0["name"] as? String == "Good" })
    switch record.outcome {
    case .kept(let fragment):
      #expect(errLines.count == 1)
      expectTaken(result, export, fragment)
    case .warned(let warning, let fragment):
      #expect(errLines.count == 2)
      #expect(errLines.first?.hasPrefix("warning: feed.json:1: record 1 (byte ") == true)
      #expect(errLines.first?.contains(warning) == true, "\(result.err)")
      expectTaken(result, export, fragment)
    case .rejected(let problem):
      #expect(errLines.count == 2)
      #expect(errLines.first?.hasPrefix("feed.json:1: record 1 (byte ") == true)
      #expect(errLines.first?.contains(problem) == true, "\(result.err)")
      #expect(result.err.contains("2 read, 1 inserted, 0 updated, 0 unchanged, 0 removed, 1 rej"))
      #expect(export.outLines.count == 1)
    }
  }

  @Test
  func `a feed cut at any byte is refused`() {
    let feed = Array(#"{"restaurants":[{"name":"é\n","location":{"lat":1.5e0,"lng":-2}}]}"#.utf8)
    runner.makeFile(Self.database, to: "geoq.db")
    let names = feed.indices.map { "cut-\($0).json" }
    for (count, name) in names.enumerated() { runner.makeFile(Array(feed[..<count]), to: name) }
    let result = runner.geoq(["import"] + names)
    #expect(result.status == 65)
    #expect(result.output.isEmpty)
    let refused = result.errLines.dropLast().compactMap { line in
      line.wholeMatch(of: /Error: (cut-[0-9]+\.json):.+/).map { String($0.1) }
    }
    #expect(refused.sorted() == names.sorted() && result.errLines.count == names.count + 1)
    #expect(result.errLines.last?.hasPrefix("0 of \(names.count) feeds: 0 read") == true)
    #expect(runner.bytes(of: "geoq.db") == Self.database)
    #expect(runner.folder.names == (names + ["geoq.db"]).sorted())
    runner.makeFile(feed, to: "feed.json")
    #expect(runner.geoq("import", "feed.json", "--db", "other.db").status == 0)
  }

  @Test
  func `a broken text in a sequence costs only itself`() {
    let other = TestFeed.goodFeature.replacing("Good", with: "Other").replacing("[2,", with: "[3,")
    let texts = [TestFeed.goodFeature, #"{"bro"#, other].map { "\u{1E}\($0)\n" }
    runner.makeFile(Array(texts.joined().utf8), to: "feed.geojsons")
    let result = runner.geoq("import", "feed.geojsons")
    #expect(result.status == 0)
    #expect(result.err.hasPrefix("feed.geojsons:2: record 2 (byte "))
    #expect(result.err.contains("3 read, 2 inserted"))
    #expect(runner.geoq("list", "-f", "count").out == "2\n")
  }

  @Test
  func `of two records with one id the first stays and both are named`() {
    let feed =
      #"{"restaurants":[{"id":"a","name":"A","location":{"lat":1,"lng":2}},"#
      + #"{"id":"a","name":"B","location":{"lat":1,"lng":3}}]}"#
    runner.makeFile(Array(feed.utf8), to: "feed.json")
    let result = runner.geoq("import", "feed.json")
    #expect(result.status == 0)
    #expect(result.errLines.first?.contains("record 2 ") == true)
    #expect(result.errLines.first?.contains(#"id "a" is the same as in record 1"#) == true)
    #expect(runner.geoq("show", "a", "--json=name").out.contains(#"{"name":"A"}"#))
  }

  @Test
  func `ids that look like options and paths are shown`() {
    let ids = ["--help", "../../etc/passwd", "-", "a b", "%2F", "日本"]
    let records = ids.map { #"{"id":"\#($0)","name":"N","location":{"lat":1,"lng":2}}"# }
    runner.makeFile(
      Array(#"{"restaurants":[\#(records.joined(separator: ","))]}"#.utf8),
      to: "f.json"
    )
    #expect(runner.geoq("import", "f.json").status == 0)
    for id in ids {
      let result = runner.geoq("show", "-f", "ids", "--", id)
      #expect(result.status == 0)
      #expect(result.out == id + "\n")
    }
  }

  @Test
  func `hostile text is made visible on its way to a person`() {
    let feed = TestFeed.name(#""a\u001b[2J\u202eb""#)
    runner.makeFile(Array(feed.utf8), to: "feed.json")
    #expect(runner.geoq("import", "feed.json", "--source", "x\u{1B}y").err.contains(#"x\u{1b}y: "#))
    let table = runner.geoq("list", "-f", "table")
    #expect(table.out.contains(#"a\u{1b}[2J\u{202e}b"#))
    #expect(!table.output.contains(0x1B))
    let missing = runner.geoq("show", "a\u{1B}c")
    #expect(missing.err.contains(#""a\u{1b}c""#))
  }

  private func expectTaken(_ result: CommandResult, _ export: CommandResult, _ fragment: String) {
    #expect(result.err.contains("2 read, 2 inserted"), "\(result.err)")
    #expect(export.jsonLines.count == 2)
    #expect(export.jsonLines.allSatisfy { !$0.isEmpty })
    // by bytes: Swift's own comparison would take another normalization for the same
    let isVerbatim = Data(export.output).range(of: Data(fragment.utf8)) != nil
    #expect(isVerbatim, "\(fragment.prefix(80)) is not in \(export.out.prefix(400))")
  }

  private func expectDatabaseIsAsItWas() {
    #expect(runner.bytes(of: "geoq.db") == Self.database)
    #expect(runner.folder.names == ["feed.json", "geoq.db"])
  }
}

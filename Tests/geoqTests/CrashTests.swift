import Foundation
import Testing

/// Imports that are killed: afterwards the store is the old one or the new one, whole.
struct CrashTests {
  private let runner = CommandRunner()

  private func count() -> String { runner.geoq("list", "-f", "count").out }

  @Test func `a killed import leaves the old state or the new one`() throws {
    runner.geoq("generate", "--size", "3000", "-o", "one.geojsonseq")
    runner.geoq("generate", "--size", "3000", "--changed", "60", "-o", "two.geojsonseq")
    runner.geoq("import", "one.geojsonseq", "--source", "s")
    var digests: Set<String> = []
    for name in ["one", "two"] {
      runner.geoq("--db", "\(name).db", "import", "\(name).geojsonseq", "--source", "s")
      digests.insert(runner.geoq("--db", "\(name).db", "export", "-f", "csv").out)
    }
    #expect(digests.count == 2)
    for round in 0..<12 {
      let feed = round % 2 == 0 ? "two" : "one"
      // from before the first record to after the last
      let delay = 0.01 + 0.05 * Double((round * 7) % 12)
      _ = runner.shell(
        "timeout -s KILL \(delay) \"$GEOQ\" -q import \(feed).geojsonseq --source s; true"
      )
      let check = runner.geoq("verify")
      #expect(check.status == 0, "after \(delay) s: \(check.out)")
      #expect(digests.contains(runner.geoq("export", "-f", "csv").out), "after \(delay) s")
    }
  }

  @Test func `a killed first import leaves no database, and the next one works`() {
    runner.geoq("generate", "--size", "3000", "-o", "one.geojsonseq")
    for round in 0..<6 {
      let delay = 0.02 + 0.04 * Double(round)
      _ = runner.shell("timeout -s KILL \(delay) \"$GEOQ\" -q import one.geojsonseq; true")
      if runner.folder.names.contains("geoq.db") {
        #expect(count() == "3000\n")
        unlink(runner.folder["geoq.db"])
      }
    }
    #expect(runner.geoq("import", "one.geojsonseq").status == 0)
    #expect(count() == "3000\n")
  }

  @Test func `where no file can grow, questions are answered, and an import says what is wrong`() {
    runner.geoq("generate", "--size", "300", "-o", "one.geojsonseq")
    runner.geoq("generate", "--size", "300", "--changed", "60", "-o", "two.geojsonseq")
    runner.geoq("import", "one.geojsonseq", "--source", "s")
    let before = runner.geoq("export", "-f", "csv").out
    let found = runner.shell("ulimit -f 0; \"$GEOQ\" export -f csv")
    #expect(found.status == 0 && found.out == before, "\(found.err)")
    let verified = runner.shell("ulimit -f 0; \"$GEOQ\" verify")
    #expect(verified.status == 0, "\(verified.out)")
    let failed = runner.shell("ulimit -f 0; \"$GEOQ\" import two.geojsonseq --source s")
    #expect(failed.status == 74 && failed.err.hasPrefix("Error: geoq.db: "), "\(failed.err)")
    #expect(runner.folder.snapshots == ["geoq.db.1.geoqx"])
    #expect(runner.geoq("export", "-f", "csv").out == before)
  }

  @Test func `an unchanged feed clears away what an import left that died after its commit`() {
    runner.geoq("generate", "--size", "30", "-o", "one.geojsonseq")
    runner.geoq("import", "one.geojsonseq")
    _ = runner.shell("cp geoq.db.1.geoqx geoq.db.0.geoqx")
    #expect(runner.geoq("import", "one.geojsonseq").status == 0)
    #expect(runner.folder.snapshots == ["geoq.db.1.geoqx"])
  }
}

import Foundation
import GeoQuery
import Testing

/// What `geoq generate` writes.
struct GenerateCommandTests {
  private let runner = CommandRunner()

  private func lines(_ arguments: String...) -> [String] {
    let result = runner.geoq(["generate"] + arguments)
    #expect(result.status == 0, "\(result.err)")
    return result.outLines
  }

  @Test func `the same size and seed give the same bytes, another seed others`() {
    let one = lines("--size", "200", "--seed", "5")
    #expect(one.count == 200)
    #expect(lines("--size", "200", "--seed", "5") == one)
    #expect(lines("--size", "200", "--seed", "6") != one)
    #expect(Set(one).count == 200)
  }

  @Test func `the given percentage changes, and the others stay the same`() {
    let one = lines("--size", "2000")
    let next = lines("--size", "2000", "--changed", "10")
    let changed = zip(one, next).count { $0 != $1 }
    #expect((140...260).contains(changed))
    #expect(lines("--size", "2000", "--changed", "10") == next)
    #expect(zip(one, lines("--size", "2000", "--changed", "100")).allSatisfy { $0 != $1 })
  }

  @Test(arguments: ["geojsonseq", "geojson", "csv"])
  func `every format is a feed that imports without a word`(_ format: String) {
    runner.geoq("generate", "--size", "300", "-f", format, "-o", "feed")
    let result = runner.geoq("import", "feed")
    #expect(result.status == 0)
    #expect(
      result.err
        == "feed: 300 read, 300 inserted, 0 updated, 0 unchanged, 0 removed, 0 rejected → geoq.db\n"
    )
    #expect(runner.geoq("list", "-f", "count").out == "300\n")
  }

  @Test func `a file is not overwritten unless that is asked for`() {
    #expect(runner.geoq("generate", "--size", "3", "-o", "a.csv").status == 0)
    #expect(runner.geoq("generate", "--size", "3", "-o", "a.csv").status == 73)
    #expect(runner.geoq("generate", "--size", "4", "-o", "a.csv", "--force").status == 0)
    #expect(runner.folder.text(of: "a.csv")?.split(whereSeparator: \.isNewline).count == 5)
    #expect(runner.geoq("generate", "--size", "-1").status == 64)
    #expect(runner.geoq("generate", "--size", "1", "--changed", "101").status == 64)
  }
}

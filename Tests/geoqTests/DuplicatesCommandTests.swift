import Foundation
import Testing

/// `geoq duplicates`.
struct DuplicatesCommandTests {
  private let runner = CommandRunner()

  /// Two feeds of one street: three places are in both, one of them twice in the second.
  private func importFeeds() {
    let osm = """
      id,name,lat,lon,phone,address
      o1,Golden Wok,32.9500,-96.8200,972-555-0100,12 Main Street
      o2,Luigi's,32.9510,-96.8210,,14 Elm Road
      o3,Café Zoë,32.9520,-96.8220,972-555-0102,
      o4,Only Here,32.9530,-96.8230,,

      """
    let yelp = """
      id,name,lat,lon,phone,address
      y1,The Golden Wok,32.9501,-96.8201,+1 972 555 0100,12 Main St
      y2,Luigis,32.9511,-96.8210,,14 Elm Rd
      y3,Cafe Zoe,32.9520,-96.8221,972 555 0102,
      y4,Cafe Zoe Bar,32.9521,-96.8220,972 555 0102,
      y5,Taqueria,32.9500,-96.8201,,

      """
    for (name, feed) in [("osm", osm), ("yelp", yelp)] {
      runner.folder.write(feed, to: "\(name).csv")
      #expect(runner.geoq("import", "\(name).csv", "--source", name).status == 0)
    }
  }

  @Test func `pairs are listed in each format, the surest first`() throws {
    importFeeds()
    let tsv = runner.geoq("duplicates")
    #expect(tsv.status == 0 && tsv.err.isEmpty, "\(tsv)")
    let rows = tsv.outLines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    #expect(
      rows[0] == [
        "score", "distance", "nameSimilarity", "samePhone", "sameAddress", "first", "firstName",
        "firstSource", "second", "secondName", "secondSource",
      ]
    )
    let pairs = rows.dropFirst().map { "\($0[5]) \($0[8])" }
    #expect(Set(pairs) == ["o1 y1", "o2 y2", "o3 y3", "o3 y4", "y3 y4"])
    let scores = rows.dropFirst().compactMap { Double($0[0]) }
    #expect(scores.count == 5 && scores == scores.sorted(by: >))
    let csv = runner.geoq("duplicates", "-f", "csv", "--limit", "1").outLines
    #expect(csv.count == 2 && csv[1].hasPrefix("\(rows[1][0]),"), "\(csv)")
    let json = runner.geoq("duplicates", "--json", "--limit", "2").json
    #expect(json["schema"] as? String == "geoq.duplicates/1")
    #expect(json["count"] as? Int == 2 && json["total"] as? Int == 5)
    let first = try #require((json["pairs"] as? [[String: Any]])?.first)
    #expect((first["first"] as? [String: Any])?["id"] as? String == String(rows[1][5]))
    #expect(first["samePhone"] as? Bool == true)
  }

  @Test func `between two sources, within a distance, above a score`() {
    importFeeds()
    func pairs(_ options: String...) -> [String] {
      runner.geoq(["duplicates"] + options).outLines.dropFirst()
        .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        .map { "\($0[5]) \($0[8])" }.sorted()
    }
    #expect(pairs("--between", "osm", "yelp") == ["o1 y1", "o2 y2", "o3 y3", "o3 y4"])
    #expect(pairs("--between", "yelp", "osm") == ["y1 o1", "y2 o2", "y3 o3", "y4 o3"])
    #expect(pairs("--within", "5m").isEmpty)
    #expect(pairs("--within", "10m") == ["o3 y3"])
    #expect(pairs("--above", "0", "--between", "osm", "yelp").count > 4)
  }

  @Test func `hiding leaves one of each group, and is undone one by one`() {
    importFeeds()
    let all = runner.geoq("list", "-f", "ids").outLines
    let find = "$GEOQ duplicates --above 0.9"
    let hide = runner.shell("\(find) --between osm yelp --keep osm -f ids | $GEOQ hide -")
    #expect(hide.status == 0 && hide.err.contains("4 restaurants hidden"), "\(hide)")
    #expect(runner.geoq("list", "-f", "ids").outLines == ["o1", "o2", "o3", "o4", "y5"])
    #expect(runner.geoq("duplicates").outLines.count == 1)
    for id in ["y1", "y2", "y3", "y4"] {
      #expect(runner.geoq("edit", id, "--undo").status == 0)
    }
    #expect(runner.geoq("list", "-f", "ids").outLines == all)
    let other = runner.shell("\(find) --keep yelp -f ids | $GEOQ hide -")
    #expect(other.status == 0, "\(other)")
    #expect(runner.geoq("list", "-f", "ids").outLines == ["o4", "y1", "y2", "y3", "y5"])
  }

  @Test func `what is wrong is said`() {
    importFeeds()
    for (options, problem) in [
      (["--between", "osm"], "--between needs two sources, got 1"),
      (["--above", "2"], "--above: expected a score from 0 to 1"),
      (["--within", "near"], "--within: expected a distance"),
      (["--within", "10.1km"], "--within: at most 10km"),
      (["--keep", "osm"], "--keep goes with -f ids"),
      (["--limit", "-1"], "--limit must be 0 or more"),
      (["--json", "-f", "csv"], "--json and -f csv cannot be combined"),
      (["--between", "osm", "yelpp"], "did you mean \"yelp\"?"),
      (["--keep", "nobody", "-f", "ids"], "no restaurant has the source \"nobody\""),
    ] {
      let result = runner.geoq(["duplicates"] + options)
      #expect(result.status == 64 && result.err.contains(problem), "\(options) \(result)")
      #expect(result.output.isEmpty)
    }
    let none = runner.geoq("duplicates", "--within", "0", "-f", "table")
    #expect(none.status == 0 && none.err == "no pairs found\n")
  }
}

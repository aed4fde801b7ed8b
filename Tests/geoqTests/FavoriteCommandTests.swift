import Foundation
import Testing

struct FavoriteCommandTests {
  private let runner = CommandRunner.withSample()

  private func ids() -> [String] { runner.geoq("favorite", "list", "-f", "ids").outLines }

  @Test
  func `favorites are added, listed and removed`() {
    let added = runner.geoq("favorite", "add", "yard-house-dfd1f6d4", "ramen-hakata-888c0926")
    #expect(added.status == 0)
    #expect(added.output.isEmpty)
    #expect(added.err == "2 favorites kept\n")
    #expect(ids() == ["ramen-hakata-888c0926", "yard-house-dfd1f6d4"])
    #expect(runner.geoq("fav", "list", "-f", "count").out == "2\n")
    let removed = runner.geoq("favorite", "remove", "yard-house-dfd1f6d4", "nobody")
    #expect(removed.status == 1)
    #expect(
      removed.err == """
        1 favorite removed
        Error: no favorite has the id "nobody"; geoq favorite list -f ids lists them

        """
    )
    #expect(ids() == ["ramen-hakata-888c0926"])
  }

  @Test
  func `every query can ask for favorites`() {
    let kept = ["ramen-hakata-888c0926", "yard-house-dfd1f6d4"]
    runner.geoq(["favorite", "add"] + kept)
    let all = runner.geoq("list", "-f", "ids").outLines
    let queries = [
      ["list"], ["nearest", "--at", "32.95,-96.82", "-k", "99"],
      ["radius", "--at", "32.95,-96.82", "-r", "900km"], ["bbox", "--bbox=-180,-90,180,90"],
      ["export"], ["meet", "--at", "32.95,-96.82", "--at", "32.96,-96.83", "-k", "99"],
    ]
    for query in queries {
      func ids(_ filter: String) -> [String] {
        runner.geoq(query + ["--where", filter, "-f", "ids"]).outLines.sorted()
      }
      #expect(ids("favorite = true") == kept, "\(query)")
      #expect(ids("not favorite = true") == all.filter { !kept.contains($0) }, "\(query)")
      let either = ids("favorite = true or id = \(all[0])")
      #expect(either == (kept + all[..<1]).sorted(), "\(query)")
      #expect(ids("favorite = true and favorite = false").isEmpty, "\(query)")
    }
    let words = runner.geoq("search", "yard", "--where", "favorite = yes", "-f", "count")
    #expect(words.out == "1\n", "\(words)")
    let counts = runner.geoq("list", "--facets", "city", "--where", "favorite = true", "-f", "csv")
    #expect(counts.outLines.count > 1, "\(counts)")
    let cql2 = ["--filter-lang", "cql2-text", "--where", "favorite = TRUE"]
    #expect(runner.geoq(["list", "-f", "count"] + cql2).out == "2\n")
    runner.geoq("favorite", "remove", kept[0])
    #expect(runner.geoq("list", "-f", "ids", "--where", "favorite = true").outLines == [kept[1]])
  }

  @Test(arguments: ["geojson", "csv", "tsv", "jsonl", "geojsonseq"])
  func `favorites of a damaged database are in the new one, with their dates`(_ format: String) {
    runner.geoq("favorite", "add", "yard-house-dfd1f6d4", "ramen-hakata-888c0926")
    #expect(runner.geoq("favorite", "list", "-f", format, "-o", "f.x").status == 0)
    let sed = "sed -i.bak 's/20[0-9][0-9]-[0-9-]*T[0-9:]*Z/2020-01-02T03:04:05Z/' f.x"
    #expect(runner.shell(sed + " && mv geoq.db old.db && rm -f geoq.db.*").status == 0)
    runner.copySample()
    let done = runner.geoq("favorite", "import", "f.x")
    #expect(done.status == 0 && done.err == "2 favorites kept\n", "\(done.err)")
    let before = """
      id\tfavoriteSince
      ramen-hakata-888c0926\t2020-01-02T03:04:05Z
      yard-house-dfd1f6d4\t2020-01-02T03:04:05Z

      """
    let list = ["favorite", "list", "-f", "tsv", "--columns", "id,favoriteSince"]
    #expect(runner.geoq(list).out == before)
    // of two dates the earlier one stays
    #expect(runner.shell("sed -i.bak 's/2020-/2021-/' f.x").status == 0)
    #expect(runner.geoq("favorite", "import", "f.x").status == 0)
    #expect(runner.geoq(list).out == before)
  }

  @Test
  func `favorites without a restaurant are named, and the others are added`() {
    let rows = ["id,lat,lon", "yard-house-dfd1f6d4,1,2", "nobody,1,2", "no-one,3,4"]
    runner.folder.write(rows.joined(separator: "\n"), to: "f.csv")
    let result = runner.geoq("favorite", "import", "f.csv")
    #expect(result.status == 1)
    #expect(
      result.err == """
        1 favorite kept
        Error: no restaurant has the id "nobody" (and 1 more); import its feed first

        """
    )
    #expect(ids() == ["yard-house-dfd1f6d4"])
    runner.folder.write("name,lat,lon\nA,1,2\n", to: "f.csv")
    let other = runner.geoq("favorite", "import", "f.csv")
    #expect(other.status == 65 && other.err.contains("it has no id; make it with"))
  }

  @Test
  func `none is not an error, but an exit status where asked for`() {
    let none = runner.geoq("favorite", "list", "-f", "table")
    #expect(none.status == 0)
    #expect(none.out == "no favorites; geoq favorite add ID adds one\n")
    #expect(runner.geoq("favorite", "list", "-e").status == 4)
  }

  @Test
  func `an unknown id adds none, and near ones are named`() {
    let result = runner.geoq("favorite", "add", "yard-house-dfd1f6d4", "yard-hous-dfd1f6d4")
    #expect(result.status == 1)
    #expect(
      result.err
        == "Error: no restaurant has the id \"yard-hous-dfd1f6d4\"; "
        + "did you mean \"yard-house-dfd1f6d4\"?\n"
    )
    #expect(ids().isEmpty)
    #expect(runner.geoq("favorite", "add", "\u{1B}[2J").err.contains("\u{1B}") == false)
  }

  @Test
  func `favorites survive a refresh, and one that left the feed is shown as gone`() throws {
    runner.writeFeed(0..<3, to: "feed.json")
    runner.geoq("import", "feed.json", "--db", "other.db")
    let id = try #require(runner.geoq("list", "--db", "other.db", "-f", "ids").outLines.first)
    #expect(runner.geoq("favorite", "add", id, "--db", "other.db").status == 0)
    runner.writeFeed(1..<3, to: "feed.json")
    let left = runner.geoq("list", "--db", "other.db", "--json")
    runner.geoq("import", "feed.json", "--db", "other.db")
    let first = (left.json["items"] as? [[String: Any]])?.first
    let result = runner.geoq("favorite", "list", "--db", "other.db", "--geojson")
    let feature = try #require((result.json["features"] as? [[String: Any]])?.first)
    let properties = try #require(feature["properties"] as? [String: Any])
    #expect(feature["id"] as? String == id)
    #expect(properties["gone"] as? Bool == true)
    #expect(properties["name"] as? String == first?["name"] as? String)
    #expect((properties["favoriteSince"] as? String)?.hasSuffix("Z") == true)
    let geometry = feature["geometry"] as? [String: Any]
    #expect(
      geometry?["coordinates"] as? [Double]
        == [first?["longitude"] as? Double, first?["latitude"] as? Double].compactMap(\.self)
    )
    let table = runner.geoq("favorite", "list", "--db", "other.db", "-f", "table")
    #expect(table.outLines.last == "1 favorite, 1 gone")
  }

  @Test
  func `favorites are ordered and paged as other lists are`() throws {
    let chosen = runner.geoq("list", "--limit", "7", "-f", "ids", "-q").outLines
    #expect(runner.geoq(["favorite", "add"] + chosen).status == 0)
    let names = { (arguments: [String]) in
      let all = ["favorite", "list", "-f", "jsonl", "--sort", "name"] + arguments
      let result = runner.geoq(all)
      return (result.jsonLines.compactMap { $0["name"] as? String }, result.errLines.last)
    }
    let (whole, end) = names([])
    #expect(whole.count == 7 && end == nil)
    #expect(whole == whole.sorted { $0.lowercased() < $1.lowercased() })
    #expect(names(["--desc"]).0 == whole.reversed())
    var found: [String] = []
    var cursor: [String] = []
    repeat {
      let (page, next) = names(["--limit", "3"] + cursor)
      found += page
      cursor = next.map { ["--cursor", String($0.dropFirst("next: --cursor ".count))] } ?? []
    } while !cursor.isEmpty && found.count < 20
    #expect(found == whole)
    let table = runner.geoq("favorite", "list", "--limit", "2", "-f", "table")
    #expect(table.outLines.last == "2 of 7 favorites shown")
    #expect(runner.geoq("favorite", "list", "--sort", "distance").status == 64)
    #expect(runner.geoq("favorite", "list", "--cursor", "x").status == 64)
  }

  @Test
  func `a list of favorites has its own columns`() {
    runner.geoq("favorite", "add", "yard-house-dfd1f6d4")
    let header = runner.geoq("favorite", "list", "-f", "tsv").outLines.first ?? ""
    #expect(header.hasSuffix("\textra\tfavoriteSince\tgone"))
    #expect(!header.contains("distance"))
    #expect(!(runner.geoq("list", "-f", "tsv").outLines.first ?? "").contains("favoriteSince"))
    let json = runner.geoq("favorite", "list", "--json=id,gone")
    #expect(
      json.out == """
        {"schema":"geoq.matches/1","count":1,"items":[
        {"id":"yard-house-dfd1f6d4"}
        ]}

        """
    )
    runner.geoq("favorite", "list", "-o", "mine.geojson")
    #expect(runner.folder.names.contains("mine.geojson"))
  }
}

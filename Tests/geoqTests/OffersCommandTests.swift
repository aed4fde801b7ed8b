import Foundation
import Testing

@testable import geoq

/// `geoq offers` over the shipped offers and restaurants.
struct OffersCommandTests {
  private let runner = CommandRunner.withSample()

  init() {
    let offers = CommandRunner.sampleFeed.replacing("restaurants.json", with: "offers.json")
    runner.geoq("import", offers)
  }

  @Test func `a list has every offer, by command and over HTTP alike`() throws {
    for (options, query) in [
      ([], ""), (["--at", "32.95,-96.82"], "&lat=32.95&lon=-96.82"),
      (
        ["--at", "32.95,-96.82", "--max", "1km", "-k", "3"], "&lat=32.95&lon=-96.82&max=1km&limit=3"
      ),
      (["--category", "drinks"], "&category=drinks"), (["--text", "wing"], "&q=wing"),
      (["--chain", "Nobody"], "&chain=Nobody"),
      (
        ["--restaurant", "in-n-out-burger-9a084188"], "&restaurant=in-n-out-burger-9a084188"
      ),
    ] {
      let result = runner.geoq(["offers", "--json"] + options)
      #expect(result.status == 0, "\(result.err)")
      #expect(result.json["schema"] as? String == "geoq.offers/1")
      let found = result.json["offers"] as? [NSDictionary] ?? []
      #expect(result.json["count"] as? Int == found.count)
      let served = runner.geoq("serve", "--get", "/offers?f=json" + query)
      #expect(served.json["offers"] as? [NSDictionary] == found)
      #expect(served.json["numberMatched"] as? Int == result.json["total"] as? Int)
      if options.isEmpty { #expect(found.count >= 12) }
    }
  }

  @Test func `a table has a row an offer; in a pipe its cells are apart by tabs`() {
    let plain = runner.geoq("offers", "--at", "32.95,-96.82", "-k", "2")
    let lines = plain.out.split(separator: "\n")
    #expect(lines.first == "nearest\tat\tname\tamount\tcategory\tchains\tplaces\texpires\tid")
    #expect(lines.count == 3)
    let table = runner.geoq("offers", "-f", "table", "--text", "wings")
    #expect(table.out.split(separator: "\n").last == "1 offer")
    #expect(runner.geoq("offers", "-f", "tsv", "-k", "0").out.hasPrefix("name\tamount"))
    #expect(runner.geoq("offers", "-f", "json").out == runner.geoq("offers", "--json").out)
    let shown = runner.geoq("offers", "101")
    #expect(shown.status == 0 && shown.out.contains("Burger and a shake"))
    #expect(shown.out.contains("places: "))
  }

  @Test func `an unknown id is named, and the others are shown`() {
    let result = runner.geoq("offers", "101", "nobody", "--json")
    #expect(result.status == 1)
    #expect((result.json["offers"] as? [Any])?.count == 1)
    #expect(result.err.contains("no offer has the id \"nobody\""))
  }

  @Test(
    arguments: [
      (["offers", "--max", "1km"], "--max: goes with --at"),
      (["offers", "--at", "91,0"], "--at"), (["offers", "-k", "-1"], "--count must be 0 or more"),
      (["offers", "--at", "1,2", "--max", "far"], "--max"),
      (["offers", "1", "--at", "x"], "--at"),
      (["offers", "101", "--text", "x"], "ids do not go with --text"),
      (["offers", "101", "--restaurant", "x"], "ids do not go with --text"),
      (["offers", "-f", "csv"], "-f <format>"),
      (["offers", "--json", "-f", "tsv"], "cannot be combined"),
      (["offers", "101", "-f", "tsv"], "-f tsv lists offers"),
      (["offers", "--on", "2026-02-30"], "--on: expected a date such as 2026-12-24"),
      (["cover", "--at", "1,2", "--want", "Thai", "--on", "soon"], "--on: expected a date"),
    ]
  )
  func `a wrong question is a usage error`(_ arguments: [String], _ problem: String) {
    let result = runner.geoq(arguments)
    #expect(result.status == 64)
    #expect(result.err.contains(problem), "\(result.err)")
  }

  @Test func `offers that have ended count only if they are asked for`() throws {
    let other = CommandRunner.withSample()
    other.folder.write(
      """
      {"offers":[{"id":"a","name":"A","restaurants":["in-n-out-burger-9a084188"],"valid_until":"11/30/2026"},
      {"id":"b","name":"B","expires":"2026-12-24"},{"id":"c","name":"C","ends":"soon"}]}
      """,
      to: "ends.json"
    )
    let imported = other.geoq("import", "ends.json")
    #expect(imported.status == 0)
    #expect(imported.err.contains("warning: ") && imported.err.contains("\"soon\" is not a date"))
    func ids(_ options: String...) -> [String] {
      let items =
        other.geoq(["offers", "--json"] + options).json["offers"] as? [NSDictionary] ?? []
      return items.compactMap { $0["id"] as? String }
    }
    #expect(ids("--on", "2026-11-30") == ["a", "b", "c"])
    #expect(ids("--on", "2026-12-01") == ["b", "c"])
    #expect(ids("--on", "Dec 25, 2026") == ["c"])
    #expect(ids("--on", "2026-12-25", "--expired") == ["a", "b", "c"])
    #expect(ids("--on", "2026-12-25", "a") == ["a"])
    let table = other.geoq("offers", "--on", "2026-12-01", "--expired", "-f", "table").out
    #expect(table.contains("ended 2026-11-30") && !table.contains("ended 2026-12-24"))
    func met(_ options: String...) -> Int? {
      let cover = ["cover", "--at", "32.95,-96.82", "--want", "offer:a", "--json"]
      return other.geoq(cover + options).json["met"] as? Int
    }
    #expect(met("--on", "2026-11-30") == 1)
    #expect(met("--on", "2026-12-01") == 0)
    #expect(met("--on", "2026-12-01", "--expired") == 1)
    let why = other.geoq(
      "cover",
      "--at",
      "32.95,-96.82",
      "--want",
      "offer:a",
      "--on",
      "2026-12-01",
      "-f",
      "table"
    )
    #expect(why.out.contains("has ended"))
  }

  @Test func `a database without offers says how to get some`() {
    let other = CommandRunner()
    other.copySample()
    let result = other.geoq("offers")
    #expect(result.status == 0)
    #expect(result.err.contains("geoq import Data/offers.json"))
  }

  @Test func `cover takes an offer for a want`() {
    let result = runner.geoq("cover", "--at", "32.95,-96.82", "--want", "offer:101", "--json")
    #expect(result.json["met"] as? Int == 1)
    let unknown = runner.geoq("cover", "--at", "32.95,-96.82", "--want", "offer:nobody")
    #expect(unknown.status == 64 && unknown.err.contains("offer:nobody"))
  }
}

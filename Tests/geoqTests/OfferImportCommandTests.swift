import Foundation
import Testing

/// `import` of chains, stores and offers by the built tool.
struct OfferImportCommandTests {
  private let runner = CommandRunner()

  private func writeFeeds() {
    runner.folder.write(
      #"{"retailers":[{"id":1,"name":"Noodle Cart"},{"id":2,"name":"Any Bar"}]}"#,
      to: "Retailers.json"
    )
    runner.folder.write(
      """
      {"stores":[{"events":{},"id":50,"retailer_id":1,"lat":40,"long":-105},
      {"events":{},"id":51,"retailer_id":9,"lat":40,"long":-105}]}
      """,
      to: "Store Locations.json"
    )
    runner.folder.write(
      #"{"offers":[{"id":7,"name":"Soup","retailers":[1,9]},{"id":8,"name":"Tea","retailers":[]}]}"#,
      to: "Offers.json"
    )
  }

  @discardableResult
  private func importing(_ names: [String]) -> CommandResult {
    runner.geoq(["import"] + names)
  }

  private static let all = ["Offers.json", "Store Locations.json", "Retailers.json"]

  @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]])
  func `feeds of one command are imported in the right order`(_ order: [Int]) {
    writeFeeds()
    let result = importing(order.map { Self.all[$0] })
    #expect(result.status == 0)
    #expect(
      result.errLines == [
        "Retailers.json: 2 chains read, 2 inserted, 0 updated, 0 unchanged, 0 removed, 0 rejected "
          + "→ geoq.db",
        "Store Locations.json:2: record 2 (byte 71): unknown retailer \"9\"",
        "Store Locations.json: 2 read, 1 inserted, 0 updated, 0 unchanged, 0 removed, 1 rejected "
          + "→ geoq.db",
        "1 chain that offers name is not in the database; import the list of chains",
        "Offers.json: 2 offers read, 2 inserted, 0 updated, 0 unchanged, 0 removed, 0 rejected "
          + "→ geoq.db",
        "all 3 feeds: 6 read, 5 inserted, 0 updated, 0 unchanged, 0 removed, 1 rejected",
      ]
    )
    #expect(
      runner.geoq("show", "50", "--json=name,chain,extra").out
        .contains(
          #"{"name":"Noodle Cart","chain":"Noodle Cart","extra":{"events":{},"retailer_id":1}}"#
        )
    )
    let bytes = runner.bytes(of: "geoq.db")
    let again = importing(Self.all)
    #expect(
      again.errLines.last?.hasPrefix("all 3 feeds: 6 read, 0 inserted, 0 updated, 5 un") == true
    )
    #expect(runner.bytes(of: "geoq.db") == bytes)
  }

  @Test func `a feed on standard input has its place too`() {
    writeFeeds()
    let chains = runner.folder.text(of: "Retailers.json") ?? ""
    let result = runner.geoq("import", "Store Locations.json", "-", input: Array(chains.utf8))
    #expect(result.status == 0)
    #expect(result.errLines.first?.hasPrefix("stdin: 2 chains read") == true)
  }

  @Test func `stores before any chains are refused with what to do first`() {
    writeFeeds()
    let result = runner.geoq("import", "Store Locations.json")
    #expect(result.status == 65)
    #expect(
      result.err
        == "Error: Store Locations.json: its stores name their chains by id, and the database "
        + "has no chains; import the list of chains (retailers) first\n"
    )
    #expect(runner.bytes(of: "geoq.db").isEmpty)
  }

  @Test func `the sample's offers are imported, and a second time change nothing`() throws {
    runner.copySample()
    let offers = CommandRunner.sampleFeed.replacing("restaurants.json", with: "offers.json")
    let result = runner.geoq("import", offers, "--json")
    #expect(result.json["content"] as? String == "offers")
    #expect(result.json["read"] as? Int == 12 && result.json["inserted"] as? Int == 12)
    #expect(result.json["generation"] as? Int == 1)
    #expect(result.json["unknownChains"] == nil)
    let bytes = runner.bytes(of: "geoq.db")
    #expect(
      runner.geoq("import", offers).err.contains("12 offers read, 0 inserted, 0 updated, 12 un")
    )
    #expect(runner.bytes(of: "geoq.db") == bytes)
    #expect(runner.geoq("verify").status == 0)
    #expect(runner.geoq("doctor").status == 0)
    let info = runner.geoq("info", "--json").json
    #expect(info["offers"] as? Int == 12 && info["chains"] == nil)
    #expect(info["offersRevision"] as? Int == 1)
  }

  @Test func `sources of chains and offers are listed, renamed and removed`() {
    writeFeeds()
    importing(Self.all)
    let rows = runner.geoq("source", "list").outLines.map { $0.split(separator: "\t").prefix(2) }
    #expect(
      rows.map { $0.joined(separator: "|") } == [
        "source|restaurants", "Offers.json|2 offers", "Retailers.json|2 chains",
        "Store Locations.json|1",
      ]
    )
    #expect(
      runner.geoq("source", "rename", "Offers.json", "offers").err
        == "Offers.json → offers: 2 offers renamed\n"
    )
    #expect(
      runner.geoq("source", "remove", "offers", "--dry-run").err
        == "offers: 2 offers would be removed (dry run, nothing was written)\n"
    )
    #expect(runner.geoq("source", "remove", "offers").err == "offers: 2 offers removed\n")
    #expect(runner.geoq("source", "remove", "offers").status == 1)
    #expect(
      runner.geoq("source", "remove", "Retailers.json").err == "Retailers.json: 2 chains removed\n"
    )
    #expect(!runner.geoq("info").out.contains("offers"))
  }

  @Test func `rejected records of offers go to a file`() {
    runner.folder.write(#"{"offers":[{"id":1,"name":"A"},{"id":2}]}"#, to: "o.json")
    let result = runner.geoq("import", "o.json", "--reject-file", "bad.jsonl")
    #expect(result.status == 0)
    let line = runner.folder.text(of: "bad.jsonl") ?? ""
    #expect(line.contains(#""problem":"name is missing","text":"{\"id\":2}""#))
    #expect(runner.geoq("import", "o.json", "--strict").status == 65)
    #expect(runner.geoq("import", "o.json", "--max-rejects", "0").status == 65)
    runner.folder.write(#"{"offers":[]}"#, to: "o.json")
    let shrunk = runner.geoq("import", "o.json")
    #expect(shrunk.status == 65)
    #expect(shrunk.err.contains("the feed has no offer; the source \"o.json\" had 1"))
    #expect(runner.geoq("import", "o.json", "--allow-shrink").status == 0)
  }
}

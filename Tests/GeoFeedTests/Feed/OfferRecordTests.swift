import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Feeds of chains and offers: what comes in, what stays in `extra`, what is rejected.
struct OfferRecordTests {
  private func entries(_ text: String, as format: FeedFormat? = nil) throws -> [OfferEntry] {
    var stream = try FeedReader(source: "feed.json", format: format)
      .stream(MemoryBytes(Array(text.utf8)))
    var entries: [OfferEntry] = []
    while let entry = try stream.nextOffer() { entries.append(entry) }
    return entries
  }

  private func offer(_ members: String) throws -> Offer {
    let entry = try #require(try entries(#"{"offers":[{"id":1,"name":"N"\#(members)}]}"#).first)
    return try #require(
      { if case .offer(let offer, _) = entry { offer } else { nil } }(),
      "\(entry)"
    )
  }

  private func problem(_ record: String, in root: String = "offers") throws -> String? {
    let good = #"{"id":"good","name":"Good"}"#
    let entry = try entries("{\"\(root)\":[\(good),\(record)]}").last
    if case .rejected(let error)? = entry { return error.problem }
    return nil
  }

  @Test func `every member of an offer lands in its place`() throws {
    let text = """
      {"offers":[{"bonus_ids":[679],"categories":[{"name":"Dairy","id":4,"sort_order":1.50}],
      "description":"Two\\r\\nlines","expiration":"Aug 21, 2015 1:00:00 AM","name":"a\u{C3}\u{A7}ai\u{A0}Bowl®",
      "retailers":[2,154,"Any Bar"],"terms":"No\\rcash","large_url":"http://images.example/large.png",
      "url":"http://images.example/small.png","amount":0.10,"id":7533,"restaurants":["yard"],
      "restaurant_categories":["Thai"],"active":false,"unknown":null}]}
      """
    guard case .offer(let offer, let place)? = try entries(text).first else {
      Issue.record("no offer")
      return
    }
    #expect(place.record == 1)
    let expected = """
      {"id":"7533","name":"aÃ§ai\u{A0}Bowl®","description":"Two\\r\\nlines","terms":"No\\rcash",\
      "url":"http://images.example/small.png","largeURL":"http://images.example/large.png",\
      "amount":0.1,"categories":["Dairy"],"chains":["2","154","Any Bar"],"restaurants":["yard"],\
      "restaurantCategories":["Thai"],"expiration":"Aug 21, 2015 1:00:00 AM","expires":"2015-08-21","source":"feed.json",\
      "extra":{"bonus_ids":[679],"categories":[{"name":"Dairy","id":4,"sort_order":1.50}],"active":false}}
      """
    #expect(JSONWriter.of(.object(offer.members)) == expected)
  }

  @Test func `every member of a chain lands in its place`() throws {
    let text = """
      {"retailers":[{"id":25,"name":"H-E-B","icon_url":"http://images.example/heb.png","featured":true,
      "category_ids":[230],"distance":5},{"id":"26","name":"B","icon_url":"ftp://x","featured":1}]}
      """
    let chains = try entries(text).compactMap { entry -> String? in
      if case .chain(let chain, _) = entry { JSONWriter.of(.object(chain.members)) } else { nil }
    }
    #expect(
      chains == [
        #"{"id":"25","name":"H-E-B","iconURL":"http://images.example/heb.png","featured":true,"#
          + #""source":"feed.json","extra":{"category_ids":[230],"distance":5}}"#,
        #"{"id":"26","name":"B","source":"feed.json","extra":{"icon_url":"ftp://x","featured":1}}"#,
      ]
    )
  }

  @Test(arguments: [
    #""expiration":"2026-11-30""#, #""expires":1796083199"#, #""expires_at":1796083199000"#,
    #""expiry":"30.11.2026""#, #""Expiration Date":"11/30/2026""#,
    #""expirationDate":"Nov 30, 2026""#,
    #""valid_until":"2026-11-30T23:59:59-06:00""#, #""validThrough":"2026-11-30""#,
    #""availabilityEnds":"2026-11-30""#, #""endDate":"2026-11-30""#, #""end_date":"2026-11-30""#,
    #""ends_at":"2026-11-30 23:59""#, #""ENDS":"30 Nov 2026""#,
    #""expires":null,"ends":"2026-11-30""#, #""expires":"","ends":"2026-11-30""#,
  ])
  func `the end of an offer is found under its usual names`(_ members: String) throws {
    let offer = try offer("," + members)
    #expect(offer.expires?.description == "2026-11-30", "\(offer)")
    #expect(offer.extra.map(\.name) == (members.contains("\"\"") ? ["expires"] : []))
  }

  @Test func `of several ends the first name counts, and the others stay`() throws {
    let offer = try offer(#","end_date":"2026-12-31","expires":"2026-11-30","ends":true"#)
    #expect(offer.expires?.description == "2026-11-30")
    #expect(offer.extra.map(\.name) == ["end_date", "ends"])
  }

  @Test(arguments: [
    (#","amount":"1.50""#, 1.5), (#","amount":1000000000"#, 1e9), (#","amount":-0.0"#, 0),
  ])
  func `an amount is taken`(_ members: String, _ amount: Double) throws {
    let offer = try offer(members)
    #expect(offer.amount == amount && offer.amount?.sign == .plus)
    #expect(offer.extra.isEmpty)
  }

  @Test(arguments: [
    #""amount":-1"#, #""amount":1e400"#, #""amount":1000000001"#, #""amount":"a lot""#,
    #""amount":true"#, #""url":"javascript:alert(1)""#,
    #""url":["http://a.example","http://b.example"]"#,
    #""description":{"a":1}"#, #""retailers":{"a":1}"#, #""retailers":"7""#,
  ])
  func `a value that does not fit stays in extra`(_ member: String) throws {
    let offer = try offer("," + member)
    #expect(JSONWriter.of(.object(offer.extra)) == "{\(member)}")
    #expect(offer.members.map(\.name) == ["id", "name", "source", "extra"])
  }

  @Test(arguments: ["offers", "retailers"])
  func `a record that is none is rejected by itself`(_ root: String) throws {
    #expect(try problem(#"{"name":"A"}"#, in: root) == "id is missing")
    #expect(try problem(#"{"id":"","name":"A"}"#, in: root) == "id is missing")
    #expect(try problem(#"{"id":1}"#, in: root) == "name is missing")
    #expect(try problem(#"{"id":1,"name":" "}"#, in: root) == "name is empty")
    #expect(try problem(#"{"id":1,"name":[]}"#, in: root) == "name is an array, not text")
    #expect(try problem(#"[1]"#, in: root) == "the record is an array, not an object")
    #expect(try problem(#"{"id":"..","name":"A"}"#, in: root)?.contains("cannot be used") == true)
    let nul = try problem(#"{"id":1,"name":"A\u0000"}"#, in: root)
    #expect(nul == "one of its texts contains the character U+0000")
    let deep = String(repeating: "[", count: 27) + String(repeating: "]", count: 27)
    #expect(try problem(#"{"id":1,"name":"A","x":\#(deep)}"#, in: root)?.contains("deeper") == true)
  }

  @Test func `a list that is too long is rejected`() throws {
    let list = Array(repeating: "1", count: 10_001).joined(separator: ",")
    #expect(
      try problem(#"{"id":1,"name":"A","retailers":[\#(list)]}"#)
        == "retailers has 10001 items; the limit is 10000"
    )
    let longest = Array(repeating: "1", count: 10_000).joined(separator: ",")
    #expect(try offer(#","retailers":[\#(longest)]"#).chains.count == 10_000)
  }

  @Test(arguments: [
    (#"{"retailers":[{"id":1,"name":"A"}]}"#, FeedFormat.retailers),
    (#"{"retailers":[]}"#, .retailers), (#"{"offers":[]}"#, .offers),
    (#"{"offers":[{"id":1,"name":"A"}]}"#, .offers),
    (#"{"retailers":[{"id":1,"name":"A"}],"stores":[{"retailer_id":1}]}"#, .retailerStores),
    (#"{"offers":[{"id":1,"name":"A"}],"restaurants":[]}"#, .bottlerocket),
    (#"{"name":"A","lat":1,"lng":2,"offers":[{"id":1,"name":"B"}]}"#, .jsonl),
    (#"{"name":"A","lat":1,"lng":2,"retailers":[]}"#, .jsonl),
    (#"{"@type":"Restaurant","offers":[{"id":1,"name":"B"}]}"#, .schemaOrg),
    (#"[{"offers":[{"id":1,"name":"B"}]}]"#, .offers),
  ])
  func `a feed is recognized by what it has`(_ text: String, _ format: FeedFormat) throws {
    let stream = try FeedReader(source: "feed.json").stream(MemoryBytes(Array(text.utf8)))
    #expect(stream.format == format)
  }

  @Test func `a feed of offers has no restaurants`() {
    #expect(
      Feeds.refusal(of: #"{"offers":[{"id":1,"name":"A"}]}"#)
        == "feed.json: this is a feed of offers, not of restaurants"
    )
  }

  @Test func `a feed that is cut or goes on is refused`() {
    let text = #"{"offers":[{"id":1,"name":"A","retailers":[1]}],"x":{}}"#
    for count in 1..<text.utf8.count {
      #expect(throws: FeedError.self) { try entries(String(text.prefix(count))) }
    }
    #expect(throws: FeedError.self) { try entries(text + "{}") }
  }

  @Test func `stores far after their retailers are not passed over in silence`() {
    let name = String(repeating: "x", count: 1_000)
    let retailers = (0..<2_000).map { #"{"id":\#($0),"name":"\#(name)"}"# }.joined(separator: ",")
    let text =
      #"{"retailers":[\#(retailers)],"stores":[{"id":1,"retailer_id":1,"lat":1,"long":2}]}"#
    #expect(throws: FeedError.self) { try entries(text) }
  }
}

import GeoIndex
import GeoQuery
import TestSupport
import Testing

@testable import GeoFeed

/// Shapes of public files that were once read wrong, in part or not at all.
struct RealFeedTests {
  private func read(_ text: String, _ format: FeedFormat? = nil) throws -> [Restaurant] {
    try FeedReader(source: "test", format: format).read(Array(text.utf8)).restaurants
  }

  private func points(_ text: String) throws -> [String: [Double]] {
    Dictionary(
      try read(text).map { ($0.name, [$0.coordinate.latitude, $0.coordinate.longitude]) },
      uniquingKeysWith: { $1 }
    )
  }

  @Test(arguments: [
    "\tlat\tlon\tname\n0\t45\t7\tA\n1\t46\t8\tB\n",
    "\n\tlat\tlon\tname\n0\t45\t7\tA\n1\t46\t8\tB\n",
    "\u{FEFF}\tlat\tlon\tname\tnote\n0\t45\t7\tA\t\n1\t46\t8\tB\t\n",
    "\t\tlat\tlon\tname\nx\t0\t45\t7\tA\ny\t1\t46\t8\tB\n",
  ])
  func `a table with tabs whose first column has no name keeps its columns`(
    _ text: String
  ) throws {
    #expect(try points(text) == ["A": [45, 7], "B": [46, 8]])
  }

  private static let one = #"{"name":"A","lat":45,"lng":7}"#
  private static let other = #"{"name":"B","lat":46,"lng":8}"#

  @Test(arguments: [
    #"{"cafes":[\#(one)],"bars":[\#(other)]}"#,
    #"{"Rome":[\#(one),\#(other)],"Bari":[\#(other)]}"#,
    #"{"date":"2026","Rome":[\#(one)],"note":{},"Bari":[\#(other)]}"#,
    #"{"categories":[{"id":1,"title":"Cafe"}],"stores":[\#(one),\#(other)]}"#,
    #"{"center":{"lat":1,"lng":2},"places":[\#(one),\#(other)]}"#,
    #"{"meta":{"tags":[{"x":1}]},"data":{"all":[\#(one),\#(other)]}}"#,
    #"{"restaurants":[\#(one)],"bars":[\#(other)]}"#,
    #"{"bars":[\#(other)],"total":2,"businesses":[\#(one)]}"#,
    #"{"stores":[\#(one)],"restaurants":[\#(other)]}"#,
    #"{"restaurants":[],"bars":[\#(one),\#(other)]}"#,
    #"{"restaurants":[{"name":"A","location":{"lat":45,"lng":7}}],"#
      + #""bars":[{"name":"B","location":{"lat":46,"lng":8}}]}"#,
    #"{"restaurants":[\#(one),\#(other)],"categories":[{"id":1,"name":"Cafe"}]}"#,
    #"{"restaurants":[\#(one),\#(other)],"pins":[{"lat":1,"lng":2}],"map":{"x":[{"lat":1,"lng":2}]}}"#,
    #"{"restaurants":[\#(one),\#(other)],"offers":[{"id":1,"name":"Lunch","lat":1,"lng":2}]}"#,
  ])
  func `records are read from every list that has them, and from none that has not`(
    _ text: String
  ) throws {
    #expect(try points(text) == ["A": [45, 7], "B": [46, 8]])
  }

  @Test(arguments: [
    #"{"kinds":[{"id":1}],"cafes":[\#(one)],"bars":[\#(other)]}"#,
    #"{"a":{"x":[\#(one)]},"b":{"x":[\#(other)]}}"#,
    "{\((0..<9).map { #""a\#($0)":{"x":[\#(one)]}"# }.joined(separator: ","))}",
    #"{"restaurants":[\#(one)],"more":{"bars":[\#(other)]}}"#,
    #"{"restaurants":[\#(one)],"bars":[\#(other)],"categories":[{"id":1,"name":"Cafe"}]}"#,
    #"{"stores":[{"storeID":"1","name":"A","latitude":"1","longitude":"2"}],"bars":[\#(other)]}"#,
  ])
  func `records in some of several lists are refused with the command that joins them`(
    _ text: String
  ) {
    let problem = Feeds.refusal(of: text) ?? ""
    let lists = text.split(separator: "lat").count - 1
    #expect(problem.contains("records in \(lists) lists, such as ."))
    #expect(problem.split(separator: "[]").count == lists + 2, "\(problem)")
  }

  private static let periods =
    #""periods":[{"open":{"day":1,"hour":11,"minute":0},"close":{"day":1,"hour":22,"minute":0}}]"#
  private static let frames =
    #""timeframes":[{"days":"Mon–Fri","open":[{"renderedTime":"11:00 AM–10:00 PM"}]}]"#

  @Test(arguments: [
    #"{"places":[{"id":"1","displayName":{"text":"A"},"location":{"latitude":1,"longitude":2},"#
      + #""regularOpeningHours":{\#(periods)}}]}"#,
    #"{"places":[{"id":"1","displayName":{"text":"A"},"location":{"latitude":1,"longitude":2},"#
      + #""regularOpeningHours":{\#(periods),"weekdayDescriptions":["Montag: siehe Website"]}}]}"#,
    #"{"places":[{"id":"1","displayName":{"text":"A"},"location":{"latitude":1,"longitude":2},"#
      + #""regularOpeningHours":{\#(periods),"weekdayDescriptions":["Monday: 11:00 AM – 10:00 PM"]}}]}"#,
    #"{"results":[{"place_id":"1","name":"A","geometry":{"location":{"lat":1,"lng":2}},"#
      + #""opening_hours":{"open_now":true,"periods":[{"open":{"day":1,"time":"1100"},"#
      + #""close":{"day":1,"time":"2200"}}]}}]}"#,
    #"{"response":{"venues":[{"id":"1","name":"A","location":{"lat":1,"lng":2},"#
      + #""hours":{"status":"Open until 10:00 PM",\#(frames)}}]}}"#,
  ])
  func `hours are read from the part of an answer that is understood`(_ text: String) throws {
    let restaurant = try #require(try read(text).first)
    let timetable = try #require(restaurant.hours.flatMap { Timetable($0) }, "\(restaurant)")
    let times = [(1, 12), (1, 23), (7, 12)].map {
      LocalTime(year: 2026, month: 6, day: $0, minute: $1 * 60)
    }
    #expect(try times.map { timetable.state(at: try #require($0)) } == [.open, .closed, .closed])
  }

  @Test func `hours that are not understood are kept as text`() throws {
    let venue =
      #"{"id":"1","name":"A","location":{"lat":1,"lng":2},"hours":{"status":"Open until 10:00 PM"}}"#
    #expect(
      try read(#"{"response":{"venues":[\#(venue)]}}"#).map(\.hours) == ["Open until 10:00 PM"]
    )
  }

  @Test func `features whose collection names its type last are GeoJSON`() throws {
    let features = (0..<12_000).map { number in
      #"{"geometry":{"coordinates":[7,45],"type":"Point"},"properties":{"name":"A\#(number)"},"#
        + #""type":"Feature"}"#
    }
    let text = #"{"features":[\#(features.joined(separator: ","))],"type":"FeatureCollection"}"#
    #expect(try read(text).count == 12_000)
    #expect(try read(text, .geojson).count == 12_000)
  }

  private static let line = #"{"type":"LineString","coordinates":[[7,45],[7,47]]}"#
  private static let point = #"{"type":"Point","coordinates":[7,45,3]}"#

  @Test(arguments: [
    ("\(point),\(line)", [45.0, 7.0]), ("\(line),\(point)", [45, 7]),
    ("\(point),\(point)", [45, 7]),
    (line, [46, 7]), (#"\#(point),{"type":"Point","coordinates":[8,45]}"#, nil), ("", nil),
  ])
  func `a collection of geometries is where its only point is, or else its outline`(
    geometries: String,
    place: [Double]?
  ) throws {
    let text = """
      {"type":"Feature","properties":{"name":"A"},
      "geometry":{"type":"GeometryCollection","geometries":[\(geometries)]}}
      """
    let found = try? points(text)["A"]
    let isNear = zip(found ?? [], place ?? []).allSatisfy { abs($0 - $1) < 0.01 }
    #expect(found?.count == place?.count && isNear, "\(found ?? [])")
  }

  @Test(arguments: [#"["x"]"#, #""a;b""#, "3", "null"])
  func `a property called tags does not make a feature one of OpenStreetMap`(
    _ tags: String
  ) throws {
    let text = """
      {"type":"FeatureCollection","features":[{"type":"Feature",
      "geometry":{"type":"Point","coordinates":[7,45]},"properties":{"name":"A","type":"hotel",
      "address":"Main St 1","city":"Fatih","rating":4.5,"tags":\(tags)}}]}
      """
    let found = try #require(try read(text).first)
    #expect(found.category == "hotel" && found.address.street == "Main St 1")
    #expect(found.address.city == "Fatih" && found.rating == 4.5)
  }

  @Test(arguments: [
    "street", "streetAddress", "street_address", "addressLine1", "address_line_1", "address1",
    "street1",
  ])
  func `the street in an address is found by its own name`(_ name: String) throws {
    let text = """
      [{"name":"A","lat":45,"lng":7,"address":{"\(name)":"Main St 1","city":"Rome","zip":"00100"}}]
      """
    let found = try #require(try read(text).first)
    #expect(found.address.street == "Main St 1" && found.address.city == "Rome")
    #expect(found.address.postalCode == "00100" && found.extra.isEmpty)
  }

  @Test(arguments: [
    #""loc":{"type":"Point","coordinates":[7,45]}"#,
    #""location":{"coordinates":{"lat":45,"lng":7,"level":3},"address":"Main St 1"}"#,
    #""location":{"coordinate":{"latitude":45,"longitude":7}}"#,
    #""location":{"coordinates":[7,45]}"#,
  ])
  func `a position is found inside a member, and what is next to it stays`(
    _ member: String
  ) throws {
    let found = try read(#"[{"name":"A",\#(member)}]"#)
    #expect(found.map { [$0.coordinate.latitude, $0.coordinate.longitude] } == [[45, 7]])
    #expect(found.first?.address.street == (member.contains("Main") ? "Main St 1" : nil))
    #expect(found.first?.extra.isEmpty == !member.contains("level"))
  }

  @Test func `a website that people write with www has an address with a scheme`() throws {
    let sites = ["www.example.com", "WWW.example.com/a?b=c", "www. example", "www.", "example.com"]
    let rows = sites.enumerated().map { "A\($0.offset),45,\($0.offset),\($0.element)" }
    let found = try read("name,lat,lon,website\n" + rows.joined(separator: "\n")).map(\.website)
    #expect(found == ["https://www.example.com", "https://WWW.example.com/a?b=c", nil, nil, nil])
  }

  @Test(arguments: [
    "名稱,緯度,經度", "이름,위도,경도", "display_name,decimalLatitude,decimalLongitude",
    "Hotel Name,store_lat,store_lng", "libelle,WGS84_lat,WGS84_lon",
  ])
  func `the names of columns of public tables are known`(_ header: String) throws {
    #expect(try points(header + "\nA,45,7\n") == ["A": [45, 7]])
  }
}

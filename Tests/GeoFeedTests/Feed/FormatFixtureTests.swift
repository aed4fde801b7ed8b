import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Each format by a feed written for it: what comes in, and what comes back out.
struct FormatFixtureTests {
  private func read(_ fixture: Fixture) throws -> Feed {
    try FeedReader(source: fixture.file).read(fixture.bytes())
  }

  @Test(arguments: Fixture.all)
  func `every member of a format's records lands in its place`(fixture: Fixture) throws {
    let feed = try read(fixture)
    #expect(feed.format == fixture.format)
    #expect(feed.rejected.count == fixture.rejected, "\(feed.rejected)")
    let expected = try fixture.expected()
    #expect(feed.restaurants.count == expected.count)
    for (restaurant, members) in zip(feed.restaurants, expected) {
      // a feed without ids gets derived ones, which IdentityTests checks
      let isDerived = members.contains {
        $0.name == "id" && $0.value.asText?.hasSuffix("HASH") == true
      }
      let kept: ([JSONMember]) -> [JSONMember] = { all in
        all.filter { !isDerived || $0.name != "id" }
      }
      #expect(
        JSONWriter.of(.object(kept(restaurant.flat))) == JSONWriter.of(.object(kept(members)))
      )
      if isDerived { #expect(restaurant.id == derivedID(for: restaurant)) }
    }
  }

  @Test(arguments: Fixture.all, [AnswerFormat.geojson, .geojsonseq])
  func `a record survives the way to GeoJSON and back`(
    fixture: Fixture,
    format: AnswerFormat
  ) throws {
    let restaurants = try read(fixture).restaurants
    let text = format.text(of: restaurants.map { Match(restaurant: $0) })
    let back = try FeedReader(source: "export").read(Array(text.utf8))
    #expect(back.rejected.isEmpty)
    #expect(back.restaurants.map(\.allBytes) == restaurants.map(\.allBytes))
  }

  @Test(arguments: Fixture.all)
  func `a format that is asked for is read as it is recognized`(fixture: Fixture) throws {
    let feed = try FeedReader(source: fixture.file, format: fixture.format).read(fixture.bytes())
    #expect(feed.format == fixture.format)
    #expect(feed.restaurants.map(\.allBytes) == (try read(fixture).restaurants.map(\.allBytes)))
  }

  @Test(arguments: Fixture.all.filter { $0.format == .osm || $0.format == .overture })
  func `formats built on GeoJSON can be read as plain GeoJSON`(fixture: Fixture) throws {
    guard fixture.file.hasSuffix(".geojson") else { return }
    let feed = try FeedReader(source: "a", format: .geojson).read(fixture.bytes())
    #expect(feed.format == .geojson)
  }

  @Test(arguments: Fixture.all)
  func `a feed that is cut gives no records rather than its first half`(fixture: Fixture) throws {
    let bytes = try fixture.bytes()
    let isDocument =
      bytes.first == 0x7B && ![.overture, .yelp, .fsqOS, .jsonl].contains(fixture.format)
    guard isDocument else { return }
    let end = bytes.lastIndex(of: 0x7D) ?? bytes.count
    for count in stride(from: 1, to: end, by: 7) {
      #expect(Feeds.refusal(of: Array(bytes[..<count])) != nil, "cut after \(count) bytes")
    }
  }
}

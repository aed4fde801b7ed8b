import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// What geoq wrote as a table or as lines of JSON comes back unchanged.
struct OwnRecordTests {
  private static let formats: [AnswerFormat] = [.csv, .tsv, .jsonl]

  private func written(_ restaurants: [Restaurant], as format: AnswerFormat) -> [UInt8] {
    var writer = format.writer()
    writer.begin(
      AnswerSummary(
        count: restaurants.count,
        total: restaurants.count,
        extent: nil,
        hasDistance: true
      )
    )
    for restaurant in restaurants { writer.write(Match(restaurant: restaurant, distance: 12.5)) }
    writer.end()
    return writer.takeBytes()
  }

  @Test(arguments: formats)
  func `an export comes back byte for byte, source and extra included`(
    _ format: AnswerFormat
  ) throws {
    var random = SplitMix64(stream: "own \(format)")
    let restaurants = (0..<60).map { number in
      // a cell cannot tell an empty text from none
      var restaurant = Restaurant.full("\(number)é", at: random.coordinate()) {
        "t" + random.hostileText(upTo: 6)
      }
      restaurant.source = "s" + random.hostileText(upTo: 4)
      return restaurant
    }
    let bytes = written(restaurants, as: format)
    let feed = try FeedReader(source: "other").read(bytes)
    #expect(feed.rejected.isEmpty, "SEED=\(SplitMix64.seed)")
    #expect(
      feed.restaurants.map(\.allBytes) == restaurants.map(\.allBytes),
      "SEED=\(SplitMix64.seed)"
    )
    let again = written(feed.restaurants, as: format)
    #expect(again == bytes)
    let forced = try FeedReader(source: "other", overridesSource: true).read(bytes)
    #expect(Set(forced.restaurants.map(\.source)) == ["other"])
  }

  @Test(arguments: formats)
  func `texts that look like something else stay what they are`(_ format: AnswerFormat) throws {
    let texts = [
      "\"Q\" bar", "back\\slash\ttab", "\\t", "\\\\n", "a\r\nb", "=1+1", "'=1", "-3", "true",
      "null",
      "{\"a\":1}", "[1]", " x ", "a; b", "1e3", "\u{FEFF}x", "'Ohana", "@x",
    ]
    let restaurants = texts.enumerated().map { number, text in
      var restaurant = Restaurant.plain("id \(text)", source: "s")
      restaurant.name = text
      restaurant.category = text
      restaurant.address.formatted = number % 2 == 0 ? [text, "c"] : [text]
      restaurant.extra = [JSONMember(name: text, value: .string(text))]
      return restaurant
    }
    let feed = try FeedReader(source: "other").read(written(restaurants, as: format))
    #expect(feed.restaurants.map(\.allBytes) == restaurants.map(\.allBytes))
  }

  @Test func `other tables and other lines are read as before`() throws {
    let quoted = try Feeds.read("id\tname\tlat\tlon\na\t\"Q \"\"R\"\"\"\t1\t2\n")
    #expect(quoted.restaurants.map(\.name) == ["Q \"R\""])
    let line = #"{"id":"a","name":"A","latitude":1,"longitude":2,"source":"s","x":1}"#
    let feed = try FeedReader(source: "f", format: .jsonl).read(Array(line.utf8))
    #expect(feed.restaurants.map(\.source) == ["f"])
  }

  @Test(arguments: [AnswerFormat.geojson, .csv, .tsv, .jsonl])
  func `a favorite whose restaurant is gone does not come back to life`(
    _ format: AnswerFormat
  ) throws {
    let store = try TemporaryStore([.plain("a"), .plain("b")])
    let open = try store.open()
    try open.addFavorites(["a", "b"])
    try store.add(Feeds.of([.plain("b")]))
    var writer = format.writer()
    let favorites = try open.favorites()
    writer.begin(AnswerSummary(count: 2, total: 2, extent: nil, hasDistance: false))
    for favorite in favorites { writer.write(favorite) }
    writer.end()
    let feed = try FeedReader(source: "f").read(writer.takeBytes())
    guard feed.restaurants.count == 1 else {
      // a table has the mark only if it was asked for
      return #expect(format == .csv || format == .tsv)
    }
    #expect(feed.restaurants.map(\.id) == ["b"])
    #expect(feed.rejected.map(\.problem).first?.contains("only a favorite") == true)
  }
}

import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Pictures, descriptions and chains: those that a feed has, and those that only look like it.
struct ImagesAndWordsTests {
  /// Reads one record of common names.
  private func record(_ members: String) throws -> Restaurant {
    let feed = try Feeds.read(#"{"id":"a","name":"A","lat":1,"lon":2,"# + members + "}")
    return try #require(feed.restaurants.first)
  }

  @Test(
    arguments: [
      (#""images":["http://a/1","http://a/2"]"#, "http://a/1", ["http://a/1", "http://a/2"]),
      (#""image":["http://a/1","http://a/2"]"#, "http://a/1", ["http://a/1", "http://a/2"]),
      (#""images":["http://a/1"]"#, "http://a/1", []),
      (#""images":"http://a/1"# + "\"", "http://a/1", []),
      (#""image":"http://a/1""#, "http://a/1", []),
      (#""images":"http://a/1; http://a/2""#, "http://a/1", ["http://a/1", "http://a/2"]),
      (
        #""image":"http://a/0","photos":["http://a/1"]"#, "http://a/0",
        ["http://a/0", "http://a/1"]
      ),
      (
        #""image":"http://a/2","photos":["http://a/1","http://a/2"]"#, "http://a/2",
        ["http://a/2", "http://a/1"]
      ),
      (
        #""gallery":[{"url":"http://a/1"},{"url":"http://a/2"}]"#, "http://a/1",
        ["http://a/1", "http://a/2"]
      ),
      (#""images":["javascript:alert(1)","http://a/2"]"#, "http://a/2", []),
      (#""images":["//a.b/1","http://a/2"]"#, "https://a.b/1", ["https://a.b/1", "http://a/2"]),
      (#""image":"//a.b/1""#, "https://a.b/1", []), (#""image":"///a.b/1""#, nil, []),
      (#""image":"//a b.c""#, nil, []), (#""image":"//""#, nil, []),
      (#""images":["javascript:alert(1)"]"#, nil, []), (#""photos":12"#, nil, []),
      (#""images":{"a":"http://a/1"}"#, nil, []), (#""images":[]"#, nil, []),
    ] as [(String, String?, [String])]
  )
  func `the first of all pictures is the picture, and one alone is only that`(
    members: String,
    imageURL: String?,
    images: [String]
  ) throws {
    let restaurant = try record(members)
    #expect(restaurant.imageURL == imageURL)
    #expect(restaurant.images == images)
  }

  @Test func `what is not a link in a list of pictures is not lost`() throws {
    let restaurant = try record(#""images":["javascript:alert(1)","http://a/2"]"#)
    #expect(
      JSONWriter.of(.object(restaurant.extra))
        == #"{"images":["javascript:alert(1)","http://a/2"]}"#
    )
  }

  @Test(
    arguments: [
      (#""description":"Fine food""#, "Fine food"), (#""Summary":"x""#, "x"),
      (#""short_description":"a","description":"b""#, "b"),
      (#""about":"https://a.example/about""#, nil), (#""description":12"#, nil),
      (#""description":"<table><tr><td>NAME</td></tr></table>""#, nil),
      (#""description":"A <i>fine</i> house""#, "A <i>fine</i> house"),
      (#""description":"12""#, nil), (#""description":"None""#, nil), (#""description":" ""#, nil),
      (#""description":{"en":"x"}"#, nil), (#""description":"{\"en\":\"x\"}""#, nil),
      (#""cuisine_description":"Thai""#, nil), (#""violation_description":"Mice""#, nil),
    ] as [(String, String?)]
  )
  func `a description is a text for people`(members: String, description: String?) throws {
    let restaurant = try record(members)
    #expect(restaurant.description == description)
    if description == nil { #expect(!restaurant.extra.isEmpty || restaurant.category == "Thai") }
  }

  @Test(
    arguments: [
      (#""chain":"Chuy's""#, "Chuy's"), (#""Brand":"7-Eleven""#, "7-Eleven"),
      (#""brand":{"name":"A"}"#, "A"), (#""chain":"yes""#, nil), (#""chain":true"#, nil),
      (#""chain":"N""#, nil), (#""brand":"none""#, nil), (#""brand":"12""#, nil),
      (#""chain":"https://a.example""#, nil),
    ] as [(String, String?)]
  )
  func `a chain is a name, not a word for yes or no`(members: String, chain: String?) throws {
    let restaurant = try record(members)
    #expect(restaurant.chain == chain)
    if chain == nil { #expect(!restaurant.extra.isEmpty) }
  }

  @Test(arguments: [AnswerFormat.csv, .tsv, .jsonl, .geojson, .geojsonseq])
  func `every format brings them back byte for byte`(format: AnswerFormat) throws {
    var random = SplitMix64(stream: "images and words")
    let restaurants = (0..<60).map { number in
      var restaurant = Restaurant.plain("\(number)", at: random.coordinate())
      restaurant.description = "d" + random.hostileText(upTo: 6)
      restaurant.chain = "c" + random.hostileText(upTo: 6)
      if random.int(below: 2) == 0 {
        let images = ["http://a/; b", "[x", random.hostileText(upTo: 4) + "x", "=1+1", "http://é"]
        restaurant.images = Array(images.shuffled(using: &random).prefix(2 + random.int(below: 3)))
        restaurant.imageURL = restaurant.images.first
      }
      return restaurant
    }
    let text = format.text(of: restaurants.map { Match(restaurant: $0) })
    let reader = FeedReader(source: "export", name: format == .csv ? "export.csv" : "export")
    let back = try reader.read(Array(text.utf8))
    #expect(back.rejected.isEmpty, "SEED=\(SplitMix64.seed)")
    #expect(back.restaurants.map(\.allBytes) == restaurants.map(\.allBytes))
  }
}

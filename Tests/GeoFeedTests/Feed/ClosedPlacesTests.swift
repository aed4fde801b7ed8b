import Testing

@testable import GeoFeed
@testable import GeoQuery

/// The ways in which feeds of no special format say that a place is closed for good.
struct ClosedPlacesTests {
  @Test(arguments: [
    (#""closed":true"#, true), (#""permanently_closed":"yes""#, true), (#""is_closed":true"#, true),
    (#""is_open":0"#, true), (#""IS_OPEN":false"#, true),
    (#""businessStatus":"CLOSED_PERMANENTLY""#, true),
    (#""business_status":"CLOSED_PERMANENTLY""#, true),
    (#""operating_status":"permanently_closed""#, true),
    (#""date_closed":"2020-01-01""#, true), (#""date_closed":"2019-08-14T12:00:00Z""#, true),
    (#""date_closed":2019"#, true), (#""Closed On":"Monday 14 May 2018""#, true),
    (#""date_closed":"2019-08""#, true), (#""is_open":0,"closed":false"#, true),
    (#""Geschlossen":"ja""#, true), (#""geschlossen":"WAHR""#, true), (#""fermé":"Oui""#, true),
    (#""fermé":"VRAI""#, true), (#""cerrado":"sí""#, true), (#""chiuso":"si""#, true),
    (#""fechado":"sim""#, true), (#""closed":"Closed""#, true), (#""isOpen":"nein""#, true),
    (#""closed":"Permanently closed""#, true), (#""geschlossen":"Dauerhaft geschlossen""#, true),
    (#""business_status":"Closed permanently""#, true),
    (#""operating_status":"CLOSED_PERMANENTLY""#, true),
    (#""Geschlossen":"nein""#, false), (#""fermé":"FAUX""#, false), (#""closed":"open""#, false),
    (#""closed":"Temporarily closed""#, false), (#""is_open":"ja""#, false),
    (#""business_status":"Closed""#, false), (#""Geschlossen":"Montag""#, false),
    (#""closed":false"#, false), (#""is_open":1"#, false), (#""is_closed":false"#, false),
    (#""businessStatus":"CLOSED_TEMPORARILY""#, false), (#""date_closed":null"#, false),
    (#""date_closed":"""#, false), (#""date_closed":"N/A""#, false), (#""date_closed":"-""#, false),
    (#""date_closed":"0000-00-00""#, false), (#""date_closed":0"#, false),
    (#""date_closed":"no""#, false), (#""date_closed":"9999-12-31""#, false),
    (#""date_closed":"1900-01-01""#, false), (#""date_closed":"2020-13-01""#, false),
    (#""Closed On":"Monday""#, false), (#""Closed On":"Mon, Tue""#, false),
    (#""Closed On":"never""#, false), (#""operating_status":"open""#, false),
  ])
  func `a place that is closed for good is marked, however a feed says so`(
    _ member: String,
    _ isClosed: Bool
  ) throws {
    let line = "{\"id\":\"a\",\"name\":\"A\",\"lat\":1,\"lon\":2,\(member)}"
    let feature =
      "{\"type\":\"Feature\",\"id\":\"a\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]},"
      + "\"properties\":{\"name\":\"A\",\(member)}}"
    for (text, format) in [(line, FeedFormat.jsonl), (feature, .geojsonseq)] {
      let feed = try FeedReader(source: "f", format: format).read(Array(text.utf8))
      #expect(feed.restaurants.map(\.closed) == [isClosed])
    }
  }
}

import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// What programs write for nothing, yes, no and whole numbers.
struct SpellingTests {
  private func table(_ column: String, _ cell: String) throws -> Restaurant {
    let feed = try Feeds.read("id,name,lat,lon,\(column)\na,A,1,2,\(cell)\n")
    return try #require(feed.restaurants.first, "\(feed.rejected)")
  }

  @Test(
    arguments: [
      ("is_closed", "true"), ("is_closed", "1"), ("is_closed", "1.0"), ("is_closed", "t"),
      ("is_closed", "Y"), ("is_closed", " yes "), ("is_open", "0"), ("is_open", "0.0"),
      ("is_open", "f"), ("is_open", "N"), ("is_open", "False"), ("date_closed", "2020-01-02"),
      ("operating_status", "PERMANENTLY_CLOSED"), ("business_status", "closed_permanently"),
    ]
  )
  func `a place that is closed for good is marked`(column: String, cell: String) throws {
    #expect(try table(column, cell).closed)
  }

  @Test(
    arguments: [
      ("is_closed", "0.0"), ("is_closed", "f"), ("is_closed", "maybe"), ("is_closed", "2"),
      ("is_open", "1.0"), ("is_open", "t"), ("date_closed", "NaN"), ("date_closed", "null"),
      ("date_closed", "None"), ("date_closed", "\\N"), ("date_closed", "NaT"), ("date_closed", " "),
      ("operating_status", "temporarily_closed"),
    ]
  )
  func `a place that is not is left open`(column: String, cell: String) throws {
    #expect(try !table(column, cell).closed)
  }

  @Test func `whole numbers may be written with a point`() throws {
    #expect(try table("price_level", "2.0").priceLevel == 2)
    #expect(try table("price_level", " 3 ").priceLevel == 3)
    #expect(try table("review_count", "15.0").reviewCount == 15)
    #expect(try table("review_count", "1e3").reviewCount == 1_000)
    #expect(try table("rating", "4 ").rating == 4)
    #expect(try table("price_level", "2.5").priceLevel == nil)
    #expect(try table("review_count", "15.5").reviewCount == nil)
    #expect(try table("review_count", "1e300").reviewCount == nil)
    let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"#
    let feed = try Feeds.read(
      feature + #""properties":{"name":"A","priceLevel":2.0,"reviewCount":3.0,"rating":-0.0}}"#
    )
    #expect(feed.restaurants.map(\.priceLevel) == [2])
    #expect(feed.restaurants.map(\.reviewCount) == [3])
    #expect(feed.restaurants.first?.rating?.sign == .plus)
  }

  @Test func `an empty text is nothing, in every format`() throws {
    let empty = #""city":"","category":"","phone":"","hours":"","formattedAddress":["",""]"#
    let feeds = [
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":"#
        + #"{"name":"A",\#(empty)}}"#,
      #"{"restaurants":[{"name":"A","category":"","location":{"lat":1,"lng":2,"city":"","#
        + #""formattedAddress":[""]},"contact":{"phone":"","twitter":""}}]}"#,
      #"{"lat":1,"lon":2,"name":"A",\#(empty)}"#,
    ]
    for text in feeds {
      let place = try #require(try Feeds.read(text).restaurants.first)
      for field in RestaurantField.allCases where ![.id, .name, .latitude].contains(field) {
        if [.longitude, .source, .extra].contains(field) { continue }
        #expect(place[field] == nil, "\(field) of \(text)")
      }
      #expect(place.extra.map(\.name).isEmpty == false)
    }
  }

  @Test func `blanks around a cell are not part of its number`() throws {
    let feed = try Feeds.read("name, lat, lon\nx, 1, 2\ny,1 ,\t2\n")
    #expect(feed.restaurants.map(\.coordinate.latitude) == [1, 1])
    #expect(feed.restaurants.map(\.coordinate.longitude) == [2, 2])
  }

  @Test func `a chain's branches are told apart by where they are, with a city or without`() throws
  {
    func ids(_ more: String) throws -> Set<String> {
      let lines = ["1,2", "50,20"].map {
        let (north, east) = ($0.split(separator: ",")[0], $0.split(separator: ",")[1])
        return
          #"{"name":"Subway","lat":\#(north),"lon":\#(east),"address":"Main Street 1"\#(more)}"#
      }
      let feed = try Feeds.read(lines.joined(separator: "\n"))
      return Set(feed.restaurants.map(\.id))
    }
    #expect(try ids("").count == 2)
    #expect(try ids(#","city":"Ulm""#).count == 2)
  }

  @Test func `a list of cuisines is found by each of them`() throws {
    let feed = try Feeds.read(
      #"{"elements":[{"type":"node","id":1,"lat":1,"lon":2,"tags":{"name":"A","#
        + #""amenity":"restaurant","cuisine":"thai; pizza"}}]}"#
    )
    #expect(feed.restaurants.map(\.category) == ["restaurant, thai, pizza"])
    for text in ["restaurant, thai, pizza", "thai;pizza", "Thai"] {
      #expect(CategoryNames(["THAI"]).contain(text), "\(text)")
      #expect(!CategoryNames(["Thailand"]).contain(text))
    }
  }
}

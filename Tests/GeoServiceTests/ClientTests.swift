import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// What GIS clients and browsers need: a schema, links in the header, an icon, tags that hold.
struct ClientTests {
  private static let collection = "/collections/restaurants"
  private static let items = "/collections/restaurants/items"

  @Test func `an id appended to the items link is that restaurant's address, as GDAL does it`()
    throws
  {
    let service = try SampleService()
    for path in ["/collections", Self.collection] {
      let reply = service.get(path)
      let entry = (reply.json["collections"] as? [[String: Any]])?.first ?? reply.json
      let links = try #require(entry["links"] as? [[String: Any]])
      let found = try #require(
        links.first {
          $0["rel"] as? String == "items" && $0["type"] as? String == "application/geo+json"
        }
      )
      let address = try #require(found["href"] as? String)
      #expect(address == "http://localhost\(Self.items)")
      let target = address.replacing("http://localhost", with: "") + "/place-5"
      #expect(service.get(target).json["id"] as? String == "place-5")
      #expect(service.get(target).type == "application/geo+json")
    }
  }

  @Test func `the schema has every key of a restaurant with its type, and no other`() throws {
    let service = try SampleService([try restaurantWithEverything()])
    let link = try #require(service.get(Self.collection).links("describedby").first)
    #expect(link["type"] as? String == "application/schema+json")
    let reply = service.get(try #require(service.get(Self.collection).target("describedby")))
    #expect(reply.status == 200 && reply.type == "application/schema+json")
    let members = try #require(reply.json["properties"] as? [String: [String: Any]])
    #expect(Set(members.keys) == ["type", "id", "geometry", "properties"])
    let schema = try #require(members["properties"]?["properties"] as? [String: [String: Any]])
    let feature = try #require(service.get(Self.items).features.first)
    let properties = try #require(feature["properties"] as? [String: Any])
    #expect(Set(schema.keys) == Set(properties.keys))
    for (name, value) in properties {
      #expect(schema[name]?["type"] as? String == Self.type(of: value), "\(name)")
    }
  }

  /// The JSON Schema type of a value that has a fraction if it is a number that may have one.
  private static func type(of value: Any) -> String {
    switch value {
    case is String: "string"
    case is [Any]: "array"
    case is [String: Any]: "object"
    case let number as NSNumber where number === kCFBoolean(number.boolValue): "boolean"
    case let number as NSNumber:
      number.doubleValue == number.doubleValue.rounded() ? "integer" : "number"
    default: "?"
    }
  }

  /// Foundation reads `true` as the one object that stands for it.
  private static func kCFBoolean(_ flag: Bool) -> NSNumber { NSNumber(value: flag) }

  private func restaurantWithEverything() throws -> Restaurant {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    var place = Restaurant(id: "a", name: "A", coordinate: coordinate, source: "s")
    (place.category, place.imageURL, place.website) = ("a", "b", "c")
    (place.rating, place.ratingScale, place.reviewCount) = (4.5, 5.5, 7)
    (place.priceLevel, place.hours, place.closed) = (2, "d", true)
    place.extra = [JSONMember(name: "x", value: .bool(true))]
    place.address.street = "e"
    place.address.crossStreet = "f"
    place.address.city = "g"
    place.address.state = "h"
    place.address.postalCode = "i"
    place.address.countryCode = "j"
    place.address.country = "k"
    place.address.formatted = ["l"]
    place.contact.phone = "m"
    place.contact.formattedPhone = "n"
    place.contact.twitter = "o"
    place.contact.facebook = "p"
    place.contact.facebookUsername = "q"
    place.contact.facebookName = "r"
    place.sourceID = "s"
    (place.chain, place.description, place.images) = ("t", "u", ["b", "v"])
    return place
  }

  @Test func `the Link field has the links of the body`() throws {
    let service = try SampleService(favorites: MemoryFavorites())
    for target in [
      "/", Self.collection, "\(Self.items)?limit=3&offset=5", "\(Self.items)/place-5",
      "/nearest?lat=1&lon=2", "/radius?lat=1&lon=2&radius=20037508&limit=3&offset=3",
      "/bbox?bbox=-180,-90,180,90&limit=3&offset=9", "/favorites",
    ] {
      let reply = service.get(target)
      let links = Self.links(reply)
      #expect(!links.isEmpty, "\(target)")
      let expected = reply.links.compactMap { link -> [String]? in
        guard let address = link["href"] as? String, let relation = link["rel"] as? String,
          let type = link["type"] as? String
        else { return nil }
        return [address, relation, type]
      }
      #expect(Set(links) == Set(expected), "\(target)")
      // a page for people has the same
      if target.hasPrefix("/collections") || target == "/" {
        let page = service.get(target, [.accept: "text/html"])
        #expect(Self.links(page).count == links.count)
      }
    }
    #expect(Self.links(service.get("/collections")).map { $0[1] }.contains("self"))
    #expect(service.get("/healthz").response.fields[.link] == nil)
  }

  /// Address, relation and type of each entry, by the grammar of RFC 8288 §3.
  private static func links(_ reply: Reply) -> [[String]] {
    let field = reply.response.fields[.link] ?? ""
    return field.matches(of: /<([^>]*)>; rel="([^"]*)"; type="([^"]*)"/)
      .map { [String($0.1), String($0.2), String($0.3)] }
  }

  @Test func `a Link field is bounded, keeps the pages, and a query cannot write into it`() throws {
    let service = try SampleService()
    let long = String(repeating: "1.", count: 1) + String(repeating: "0", count: 3_000)
    let reply = service.get("\(Self.items)?bbox=-\(long),0,80,80&limit=1&offset=1")
    #expect(reply.status == 200)
    let field = try #require(reply.response.fields[.link])
    #expect(field.utf8.count <= 2_560)
    // a table has no links of its own
    let table = service.get("\(Self.items)?bbox=-\(long),0,80,80&limit=1&offset=1&f=csv")
    #expect(Self.links(table).first?[1] == "next")
    let forged = "/nearest?lat=1&lon=2&q=a>;rel=\"next\",<http://evil.example/>;x=\"\\"
    let answer = service.get(forged)
    #expect(answer.status == 200)
    #expect(Self.links(answer).map { $0[1] } == ["self"])
    #expect(answer.response.fields[.link]?.filter { $0 == ">" }.count == 1)
    // it is still the same question
    let own = try #require(answer.target("self"))
    #expect(service.get(own).status == 200 && service.get(own).target("self") == own)
  }

  @Test func `a time stamp belongs to the tag`() throws {
    let places = SamplePlaces().places
    let service = try SampleService(places)
    let reply = service.get(Self.items)
    let stamp = try #require(reply.json["timeStamp"] as? String)
    #expect(CalendarDay.seconds(ofInstant: stamp) != nil && stamp.hasSuffix("Z"))
    #expect(service.get(Self.items).response.body == reply.response.body)
    for target in ["/nearest?lat=1&lon=1", "/bbox?bbox=0,0,1,1", "\(Self.items)/place-5"] {
      #expect(service.get(target).json["timeStamp"] == nil)
    }
    // the same generation, taken up by another process later, is another answer
    let tag = try #require(reply.response.fields[.eTag])
    var later = service
    for _ in 0..<30 where later.get(Self.items).json["timeStamp"] as? String == stamp {
      Thread.sleep(forTimeInterval: 0.1)
      later = try SampleService(places)
    }
    #expect(later.get(Self.items).response.body != reply.response.body)
    #expect(later.get(Self.items, [.ifNoneMatch: tag]).status == 200)
  }

  @Test func `there is an icon, which stays the same`() throws {
    let service = try SampleService()
    let reply = service.get("/favicon.ico", [.accept: "image/avif,image/webp,*/*;q=0.8"])
    #expect(reply.status == 200 && reply.type == "image/x-icon")
    let bytes = reply.response.body
    // ICO: one picture, which is a PNG and reaches to the end
    #expect(bytes.starts(with: [0, 0, 1, 0, 1, 0, 32, 32]))
    #expect(bytes.dropFirst(22).starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(Int(bytes[14]) + Int(bytes[15]) << 8 + 22 == bytes.count)
    #expect(reply.response.fields[.cacheControl] == "max-age=86400")
    #expect(service.get("/favicon.ico", [.accept: "text/html"]).status == 406)
    #expect(service.get("/favicon.ico?f=json").status == 400)
  }
}

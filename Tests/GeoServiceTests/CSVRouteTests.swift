import Foundation
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Answers as tables for spreadsheets.
struct CSVRouteTests {
  private static let routes = [
    "/collections/restaurants/items?limit=3", "/nearest?lat=1&lon=2&count=3",
    "/radius?lat=1&lon=2&radius=20000km&limit=3", "/bbox?bbox=-180,-90,180,90&limit=3",
  ]

  @Test(arguments: routes)
  func `table – of restaurants – has those of the JSON, in its order`(target: String) throws {
    let service = try SampleService()
    let ids = service.get(target).features.compactMap { $0["id"] as? String }
    let reply = service.get(target + "&f=csv")
    #expect(reply.status == 200 && reply.type == "text/csv; charset=utf-8; header=present")
    #expect(
      reply.response.fields[.contentDisposition] == "attachment; filename=\"restaurants.csv\""
    )
    #expect(reply.response.fields[.eTag] != service.get(target).response.fields[.eTag])
    let lines = reply.text.split(separator: "\r\n")
    #expect(lines.first?.hasPrefix("id,name,category,") == true && lines.count == 4)
    #expect(lines.dropFirst().map { String($0.prefix { $0 != "," }) } == ids)
    let hasDistance = target.contains("lat=")
    #expect(lines.first?.split(separator: ",").contains("distance") == hasDistance)
    var request = ServiceRequest(.get, target)
    request.fields[.accept] = "text/csv"
    #expect(service.send(request).text == reply.text)
  }

  @Test func `table – a name that a spreadsheet would run – is defused`() throws {
    var place = SamplePlaces(count: 1).places[0]
    place.name = "=1+1, \"A\""
    let text = try SampleService([place]).get("/bbox?bbox=-180,-90,180,90&f=csv").text
    #expect(text.contains("\"'=1+1, \"\"A\"\"\""))
  }

  @Test func `table – a page of more – has the next page in the header field Link`() throws {
    let service = try SampleService()
    let reply = service.get("/collections/restaurants/items?limit=3&f=csv")
    let link = try #require(reply.response.fields[.link])
    #expect(link.contains("rel=\"next\"") && link.contains("f=csv"))
  }

  @Test func `table – of facets – has a line for each value`() throws {
    let service = try SampleService()
    let facets = service.get("/facets?by=category").json["facets"] as? [[String: Any]] ?? []
    let lines = service.get("/facets?by=category&f=csv").text.split(separator: "\r\n")
    #expect(lines.first == "category,count" && lines.count == facets.count + 1 && !facets.isEmpty)
    #expect(lines.dropFirst().first?.hasSuffix(",\(facets[0]["count"] as? Int ?? -1)") == true)
  }

  @Test func `table – of favorites – has their columns`() throws {
    let favorites = MemoryFavorites(of: SamplePlaces(count: 5).places)
    let service = try SampleService(SamplePlaces(count: 5).places, favorites: favorites)
    _ = try favorites.addFavorites(["place-1"])
    let lines = service.get("/favorites?f=csv").text.split(separator: "\r\n")
    #expect(lines.count == 2 && lines[1].hasPrefix("place-1,"))
  }

  @Test func `table – of offers – has their keys, chains and places`() throws {
    let service = try SampleService()
    let reply = service.get("/offers?f=csv")
    #expect(reply.status == 200 && reply.type == "text/csv; charset=utf-8; header=present")
    #expect(reply.response.fields[.contentDisposition] == "attachment; filename=\"offers.csv\"")
    let lines = reply.text.components(separatedBy: "\r\n")
    #expect(
      lines[0] == "id,name,description,terms,url,largeURL,amount,categories,chains,restaurants,"
        + "restaurantCategories,expiration,expires,source,sourceID,extra,expired,chainNames,places"
    )
    let json = service.get("/offers").json["offers"] as? [[String: Any]] ?? []
    #expect(json.compactMap { $0["id"] as? String } == ["b/ö", "place-1"])
    #expect(
      reply.text.contains(
        "place-1,Ten wings,,,,,4.5,Lunch,,place-1; place-5,,,,offers.json,,,,,2\r\n"
      )
    )
    #expect(reply.text.contains("Wendy's®"))
    let near = service.get("/offers?lat=1&lon=2&f=csv").text.components(separatedBy: "\r\n")
    #expect(near[0] == lines[0] + ",nearestID,nearestName,distance")
    // the offer without a place comes last and has empty cells
    #expect(near[1].hasPrefix("place-1,") && !near[1].hasSuffix(","))
    #expect(near[2].hasPrefix("b/ö,") || near.joined().contains(",0,,,"))
  }

  @Test func `table – of offers on several pages – has the next page in the header field Link`()
    throws
  {
    let link = try SampleService().get("/offers?limit=1&f=csv").response.fields[.link]
    #expect(link?.contains("offset=1&f=csv>; rel=\"next\"; type=\"text/csv\"") == true)
  }

  @Test func `table – of an offer that a spreadsheet would run – is defused`() throws {
    let offer = Offer(id: "=1+1", name: "@SUM(A1)", source: "o")
    let book = OfferBook(revision: 1, offers: [offer], chains: [])
    let text = try SampleService(book: book).get("/offers?f=csv").text
    #expect(text.contains("\r\n'=1+1,'@SUM(A1),"))
  }

  @Test(arguments: [
    "/offers/place-1?f=csv", "/healthz?f=csv", "/cover?f=csv", "/nearest?lat=1&lon=2&f=html",
  ])
  func `table – of a resource without one – is refused`(target: String) throws {
    #expect(try SampleService().get(target).status == 400)
  }
}

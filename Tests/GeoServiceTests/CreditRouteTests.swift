import Foundation
import GeoFeed
import GeoQuery
import GeoStore
import HTTPTypes
import Testing

@testable import GeoService

/// Where answers name the sources of their restaurants.
struct CreditRouteTests {
  private static let hostile = Credit(
    attribution: "<img src=x onerror=alert(1)>\"'",
    license: "MIT"
  )

  private func service(_ credits: Credits) throws -> SampleService {
    try SampleService(credits: credits)
  }

  @Test func `collection – with credits – has them and a link to each license`() throws {
    let service = try service(
      Credits([.openStreetMap, Credit(attribution: "City", license: "Own")])
    )
    let reply = service.get("/collections/restaurants?f=json")
    #expect(reply.json["attribution"] as? String == "© OpenStreetMap contributors, City")
    #expect(reply.json["license"] as? String == "ODbL-1.0, Own")
    let licenses = reply.links("license")
    #expect(licenses.count == 1 && licenses.first?["title"] as? String == "ODbL-1.0")
    #expect(
      licenses.first?["href"] as? String == "https://opendatacommons.org/licenses/odbl/1-0/"
    )
    let listed = service.get("/collections?f=json").json["collections"] as? [[String: Any]]
    #expect(listed?.first?["attribution"] as? String == "© OpenStreetMap contributors, City")
  }

  @Test(arguments: [
    "/collections/restaurants/items?limit=2", "/nearest?lat=1&lon=2&count=2",
    "/bbox?bbox=-180,-90,180,90",
    "/meet?at=1,2&at=2,3&f=geojson",
  ])
  func `FeatureCollection – with credits – has them as members`(target: String) throws {
    let json = try service(Credits([.openStreetMap])).get(target).json
    #expect(json["type"] as? String == "FeatureCollection")
    #expect(json["attribution"] as? String == "© OpenStreetMap contributors")
    #expect(json["license"] as? String == "ODbL-1.0")
  }

  @Test func `tiles – with credits – are described with them`() throws {
    let credits = Credits([.openStreetMap])
    let service = try service(credits)
    #expect(service.get("/tiles.json").json["attribution"] as? String == credits.html)
    let set = service.get("/collections/restaurants/tiles/WebMercatorQuad").json
    #expect(set["attribution"] as? String == "© OpenStreetMap contributors")
  }

  @Test(arguments: [
    "/app/", "/app/map", "/app/restaurants/place-1", "/collections/restaurants/items?f=html",
  ])
  func `page – with credits – names the sources and links to their pages`(path: String) throws {
    let text = try service(Credits([.openStreetMap])).get(path).text
    #expect(text.contains("Data: <a href=\"https://www.openstreetmap.org/copyright\""))
    #expect(text.contains("<a href=\"https://opendatacommons.org/licenses/odbl/1-0/\""))
  }

  @Test func `page – with a hostile credit – shows it as text`() throws {
    let service = try service(Credits([Self.hostile]))
    for path in ["/app/", "/collections/restaurants/items?f=html"] {
      let text = service.get(path).text
      #expect(!text.contains("<img src=x"))
      #expect(text.contains("Data: &lt;img src=x onerror=alert(1)&gt;&quot;&#39; (MIT)"))
    }
    let html = service.get("/tiles.json").json["attribution"] as? String
    #expect(html == "&lt;img src=x onerror=alert(1)&gt;&quot;&#39; (MIT)")
  }

  @Test func `answer – with other credits – has another tag`() throws {
    for target in ["/tiles.json", "/collections/restaurants/items?limit=1"] {
      let tags = try [Credits.none, Credits([.openStreetMap]), Credits([Self.hostile])].map {
        try service($0).get(target).response.fields[.eTag]
      }
      #expect(Set(tags).count == 3)
    }
  }

  @Test func `answer – without credits – has no member, link or paragraph for them`() throws {
    let service = try service(.none)
    for target in ["/collections/restaurants?f=json", "/tiles.json", "/app/", "/bbox?bbox=0,0,9,9"]
    {
      let text = service.get(target).text
      #expect(
        !text.contains("attribution") && !text.contains("license\"") && !text.contains("Data:")
      )
    }
  }

  @Test
  func `service – while an import changes only a credit – shows the new one at the next look`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.path + "/geoq-credit-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/lunch.db"
    let feed = try FeedReader(source: "test").read(
      Array(#"{"id":"a","name":"A","latitude":1,"longitude":2}"#.utf8)
    )
    var options = ImportOptions()
    _ = try RestaurantStore.importFeed(feed, into: path, options: options)
    let live = try LiveData(.file(path))
    let watch = StoreWatch(.file(path), live: live)
    defer { watch.close() }
    let first = live.current
    #expect(try watch.look() == nil && first.credits.isEmpty)
    options.attribution = "City"
    _ = try RestaurantStore.importFeed(feed, into: path, options: options)
    #expect(try watch.look() == first.number)
    #expect(live.current.credits.attribution == "City")
    #expect(try watch.look() == nil)
    #expect(try LiveData(.file(path)).current.credits.attribution == "City")
  }
}

import Foundation
import GeoQuery
import GeoStore
import HTTPTypes
import Testing

@testable import GeoService

/// Favorites as a filter and as a mark, and who gets them.
struct FavoriteFilterTests {
  private let favorites = MemoryFavorites()
  private static let items = "/collections/restaurants/items"

  private func service(_ settings: ServiceSettings = .sample) throws -> SampleService {
    _ = try favorites.addFavorites(["place-7", "place-3"])
    return try SampleService(settings: settings, favorites: favorites)
  }

  private static var protected: ServiceSettings {
    var settings = ServiceSettings.sample
    settings.access = AccessRule(token: Array(ServiceSettings.token.utf8), protectsReading: true)
    return settings
  }

  private func isMarked(_ feature: [String: Any]) -> Bool {
    (feature["properties"] as? [String: Any])?["favorite"] as? Bool == true
  }

  @Test func `only favorites count`() throws {
    let service = try service()
    let everywhere = "bbox=-180,-90,180,90"
    let circle = "lat=0&lon=0&radius=20037508"
    for target in [
      Self.items + "?favorite=true", "/bbox?\(everywhere)&favorite=true",
      "/radius?\(circle)&favorite=true", "/nearest?lat=0&lon=0&favorite=true",
    ] {
      let reply = service.get(target)
      #expect(reply.ids.sorted() == ["place-3", "place-7"], "\(target)")
      #expect(reply.features.allSatisfy(isMarked))
    }
    for target in [
      "/count/bbox?\(everywhere)", "/count/radius?\(circle)", "/facets?by=category",
    ] { #expect(service.get(target + "&favorite=true").json["count"] as? Int == 2) }
  }

  @Test func `favorites are marked if that is asked for`() throws {
    let service = try service()
    let marked = service.get(Self.items + "?limit=1000&mark=favorite")
    #expect(marked.ids.count > 100)
    let found = marked.features.filter(isMarked).compactMap { $0["id"] as? String }
    #expect(found == ["place-3", "place-7"])
    #expect(!service.get(Self.items + "?limit=1000").text.contains("\"favorite\""))
  }

  @Test func `only requests that may read favorites get them`() throws {
    let service = try service(Self.protected)
    for target in [Self.items + "?favorite=true", "/nearest?lat=0&lon=0&mark=favorite"] {
      #expect(service.get(target).status == 401, "\(target)")
      #expect(service.send(.owners(.get, target)).status == 200, "\(target)")
    }
    #expect(service.get("/nearest?lat=0&lon=0").status == 200)
  }

  @Test func `pages of other origins do not get them`() throws {
    var settings = ServiceSettings.sample
    settings.crossOrigin = CrossOriginRule(origins: ["*"])
    let service = try service(settings)
    var fields: HTTPFields = [:]
    fields[.origin] = "https://maps.example"
    let plain = service.get(Self.items, fields)
    #expect(plain.response.fields[.accessControlAllowOrigin] == "*")
    for parameter in ["favorite=true", "mark=favorite"] {
      let reply = service.get("\(Self.items)?\(parameter)", fields)
      #expect(reply.status == 200)
      #expect(reply.response.fields[.accessControlAllowOrigin] == nil)
    }
  }

  @Test func `a tag holds until the favorites change`() throws {
    let service = try service()
    let target = Self.items + "?mark=favorite"
    let first = service.get(target)
    #expect(first.response.fields[.cacheControl] == "private, no-cache")
    var fields: HTTPFields = [:]
    fields[.ifNoneMatch] = first.response.fields[.eTag]
    #expect(service.get(target, fields).status == 304)
    _ = try favorites.addFavorites(["place-11"])
    #expect(service.get(target, fields).status == 200)
  }

  @Test func `a cursor holds when the favorites change`() throws {
    let service = try service()
    _ = try favorites.addFavorites(["place-11", "place-5"])
    let first = service.get(Self.items + "?favorite=true&limit=2")
    #expect(first.ids == ["place-11", "place-3"])
    _ = favorites.removeFavorites(["place-3"])
    #expect(service.get(try #require(first.target("next"))).ids == ["place-5", "place-7"])
  }

  @Test func `a service without favorites does not know the parameters`() throws {
    let service = try SampleService()
    for parameter in ["favorite=true", "mark=favorite"] {
      let reply = service.get("\(Self.items)?\(parameter)")
      #expect(reply.status == 400)
      #expect(reply.json["code"] as? String == "UnknownParameter")
    }
    #expect(!service.get("/api").text.contains("\"mark\""))
  }

  @Test func `the list of favorites has orders and pages`() throws {
    let service = try service()
    _ = try favorites.addFavorites(["place-11", "place-5"])
    let sorted = service.get("/favorites?sortby=-name").ids
    #expect(
      sorted
        == ["place-7", "place-5", "place-3", "place-11"].sorted { left, right in
          let name = { (id: String) in SamplePlaces().places.first { $0.id == id }?.name ?? "" }
          return name(left).lowercased() > name(right).lowercased()
        }
    )
    let first = service.get("/favorites?sortby=-name&limit=3")
    #expect(first.ids == Array(sorted.prefix(3)))
    #expect(service.get(try #require(first.target("next"))).ids == Array(sorted.suffix(1)))
    #expect(service.get("/favorites?sortby=distance").status == 400)
  }
}

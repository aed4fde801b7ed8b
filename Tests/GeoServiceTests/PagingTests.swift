import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Pages by `next` links: disjoint, complete, in order, whatever the order and while imports run.
struct PagingTests {
  private static let items = "/collections/restaurants/items"

  /// The ids of all pages, and how many pages there were.
  private func walk(
    _ service: SampleService,
    _ query: String,
    at path: String = items
  ) -> (ids: [String], pages: Int) {
    var ids: [String] = []
    var pages = 0
    var next: String? = "\(path)?\(query)"
    while let target = next, pages < 200 {
      let reply = service.get(target)
      #expect(reply.status == 200, "\(target)")
      ids += reply.ids
      pages += 1
      next = reply.target("next")
    }
    return (ids, pages)
  }

  @Test(
    arguments: [
      "", "sortby=name", "sortby=-name", "sortby=rating", "sortby=-rating", "sortby=priceLevel",
      "sortby=-priceLevel", "bbox=170,-90,-170,90", "bbox=170,-90,-170,90&sortby=-rating",
      "category=Thai,cafe", "category=Thai&sortby=name", "q=place", "city=Dallas",
      "bbox=-180,-90,180,90", "q=place&bbox=0,0,20,20&sortby=rating",
      "sortby=-priceLevel,category,-rating,name", "sortby=rating,-city",
    ]
  )
  func `pages are disjoint and complete`(query: String) throws {
    let service = try SampleService()
    let whole = walk(service, query + "&limit=10000")
    #expect(whole.pages == 1)
    #expect(!whole.ids.isEmpty)
    for limit in [1, 7, 100] where limit > 1 || whole.ids.count < 150 {
      let pages = walk(service, query + "&limit=\(limit)")
      #expect(pages.ids == whole.ids, "limit \(limit)")
      #expect(pages.pages == (whole.ids.count + limit - 1) / limit)
    }
    #expect(Set(whole.ids).count == whole.ids.count)
  }

  /// Places around one point: five at each of some distances, their ids in another order.
  private func ties() throws -> [Restaurant] {
    try (10..<70).map { number in
      let north = Double(number * 7 % 12)
      let coordinate = try #require(Coordinate(latitude: 1 + north, longitude: 2))
      return Restaurant(id: "\(number)", name: "A", coordinate: coordinate, source: "s")
    }
  }

  @Test(
    arguments: [
      ("/radius", "lat=1&lon=2&radius=20037508"), ("/radius", "lat=1&lon=2&radius=500000&q=a"),
      ("/bbox", "bbox=-180,-90,180,90"), ("/bbox", "bbox=2,3,2,9&q=a"),
    ]
  )
  func `pages of a region are disjoint and complete, also between equals`(
    path: String,
    query: String
  ) throws {
    let service = try SampleService(ties())
    let whole = walk(service, query, at: path)
    #expect(whole.pages == 1)
    #expect(whole.ids.count > 20)
    for limit in 1...9 {
      let pages = walk(service, query + "&limit=\(limit)", at: path)
      #expect(pages.ids == whole.ids, "limit \(limit)")
      #expect(pages.pages == (whole.ids.count + limit - 1) / limit)
    }
    #expect(service.get("\(path)?\(query)&offset=5").ids == Array(whole.ids.dropFirst(5)))
    #expect(service.get("\(path)?\(query)&offset=60").ids.isEmpty)
  }

  @Test(arguments: ["/radius?lat=1&lon=2&radius=20037508", "/bbox?bbox=-180,-90,180,90"])
  func `pages of a region go on where they were after an import`(path: String) throws {
    let places = try ties()
    let service = try SampleService(places)
    let all = service.get(path).ids
    let first = service.get(path + "&limit=23")
    // the last of the page is gone, others before and after it too, and a new one stands before it
    let gone = Set([all[22], all[3], all[24], all[40]])
    let place = try #require(places.first { $0.id == all[0] }).coordinate
    let new = Restaurant(id: "0", name: "A", coordinate: place, source: "s")
    let left = [new] + places.filter { !gone.contains($0.id) }
    service.service.live.replace(with: try TemporarySnapshot.make(of: left, generation: 2))
    var ids: [String] = []
    var next = first.target("next")
    while let target = next {
      let reply = service.get(target)
      #expect(reply.matched == 57)
      ids += reply.ids
      next = reply.target("next")
    }
    #expect(ids == all.dropFirst(23).filter { !gone.contains($0) })
  }

  @Test(
    arguments: [("-1", nil), ("1e300", 0), ("5e-324", 7), ("null", 0), ("\"x\"", nil), ("0", 7)]
      as [(String, Int?)]
  )
  func `a forged distance in a cursor harms nothing`(value: String, count: Int?) throws {
    let service = try SampleService(ties())
    let path = "/radius?lat=1&lon=2&radius=20037508&limit=7"
    let next = try #require(service.get(path).target("next"))
    let text = try #require(next.split(separator: "cursor=").last)
    let bytes = try #require(
      Data(base64Encoded: text + String(repeating: "=", count: -text.count & 3))
    )
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: ",")
    let forged = Data("\(parts[0]),\(value),\(parts[2])".utf8).base64EncodedString()
    let cursor = forged.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    let reply = service.get(path + "&cursor=" + cursor)
    #expect(reply.status == (count == nil ? 400 : 200))
    #expect(reply.ids.count == count ?? 0)
  }

  @Test func `a sort is by value, then by id, and absent values come last`() throws {
    let service = try SampleService()
    let places = SamplePlaces().places
    for (query, isDescending) in [("rating", false), ("-rating", true)] {
      let rated = places.filter { $0.rating != nil }.sorted { left, right in
        let first = left.rating ?? 0
        let second = right.rating ?? 0
        if first != second { return isDescending ? first > second : first < second }
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
      }
      let expected = (rated + places.filter { $0.rating == nil }).map(\.id)
      #expect(walk(service, "sortby=\(query)&limit=10000").ids == expected)
    }
  }

  @Test(
    arguments: [
      ("/collections/restaurants/items", ""), ("/collections/restaurants/items", "sortby=-name"),
      ("/collections/restaurants/items", "sortby=rating"),
      ("/collections/restaurants/items", "bbox=170,-90,-170,90"),
      ("/collections/restaurants/items", "bbox=170,-90,-170,90&sortby=-rating"),
      ("/collections/restaurants/items", "category=Thai&sortby=priceLevel"),
      ("/collections/restaurants/items", "q=place&city=Dallas"),
      ("/radius", "lat=1&lon=2&radius=20037508"), ("/radius", "lat=1&lon=2&radius=5000000&q=place"),
      ("/bbox", "bbox=-180,-90,180,90"), ("/bbox", "bbox=-120,-40,130,60&category=Thai"),
    ]
  )
  func `prev links lead back over the same pages`(path: String, query: String) throws {
    let service = try SampleService()
    for limit in [7, 100] {
      var pages: [[String]] = []
      var next: String? = "\(path)?\(query)&limit=\(limit)"
      var last = ""
      while let target = next {
        let reply = service.get(target)
        #expect(reply.links("prev").isEmpty == pages.isEmpty)
        pages.append(reply.ids)
        (last, next) = (target, reply.target("next"))
      }
      var back: [[String]] = [try #require(pages.last)]
      var previous = service.get(last).target("prev")
      while let target = previous {
        let reply = service.get(target)
        #expect(reply.status == 200)
        #expect(reply.matched == pages.joined().count)
        // what follows it is the page that led here
        #expect(service.get(try #require(reply.target("next"))).ids == back[0])
        back.insert(reply.ids, at: 0)
        previous = reply.target("prev")
      }
      #expect(back == pages, "limit \(limit)")
    }
    // an offset's page has one too, which may be shorter
    let page = service.get("\(path)?\(query)&limit=7&offset=5")
    let first = service.get(try #require(page.target("prev")))
    #expect(first.ids == Array(service.get("\(path)?\(query)&limit=7").ids.prefix(5)))
    #expect(first.links("prev").isEmpty)
    #expect(service.get(try #require(first.target("next"))).ids == page.ids)
  }

  @Test(
    arguments: [
      "/collections/restaurants/items?limit=10",
      "/collections/restaurants/items?sortby=-name&limit=10",
      "/radius?lat=1&lon=2&radius=20037508&limit=10", "/bbox?bbox=-180,-90,180,90&limit=10",
    ]
  )
  func `prev pages go on where they were after an import`(path: String) throws {
    let places = try ties()
    let service = try SampleService(places)
    let all = service.get(path.replacing("limit=10", with: "limit=60")).ids
    let second = service.get(try #require(service.get(path).target("next")))
    let third = service.get(try #require(second.target("next")))
    #expect(third.ids == Array(all[20..<30]))
    // the first of the page has gone, and others before and after it
    let gone = Set([all[20], all[19], all[3], all[40]])
    let left = places.filter { !gone.contains($0.id) }
    service.service.live.replace(with: try TemporarySnapshot.make(of: left, generation: 2))
    var ids: [String] = []
    var previous = third.target("prev")
    while let target = previous {
      let reply = service.get(target)
      #expect(reply.ids.count <= 10)
      ids = reply.ids + ids
      previous = reply.target("prev")
    }
    #expect(ids == all[..<20].filter { !gone.contains($0) })
    // all before the page have gone: the page is empty, and what follows is the first one
    let rest = places.filter { all[20...].contains($0.id) }
    service.service.live.replace(with: try TemporarySnapshot.make(of: rest, generation: 3))
    let empty = service.get(try #require(third.target("prev")))
    #expect(empty.status == 200 && empty.ids.isEmpty && empty.matched == 40)
    #expect(empty.links("prev").isEmpty)
    #expect(service.get(try #require(empty.target("next"))).ids == Array(all[20..<30]))
  }

  @Test func `an offset skips that number of restaurants`() throws {
    let service = try SampleService()
    let all = walk(service, "limit=400").ids
    #expect(service.get("\(Self.items)?offset=390&limit=20").ids == Array(all.dropFirst(390)))
    #expect(service.get("\(Self.items)?offset=400").ids.isEmpty)
    #expect(service.get("\(Self.items)?offset=1000000000").ids.isEmpty)
    #expect(service.get("\(Self.items)?offset=1000000001").status == 400)
  }

  @Test func `pages go on where they were after an import`() throws {
    let places = SamplePlaces().places
    let service = try SampleService(places)
    let first = service.get("\(Self.items)?limit=100")
    // every third place disappears, among them the last of the page
    let gone = Set([first.ids[99]] + places.enumerated().filter { $0.0 % 3 == 0 }.map(\.1.id))
    let left = places.filter { !gone.contains($0.id) }
    service.service.live.replace(with: try TemporarySnapshot.make(of: left, generation: 2))
    var ids: [String] = []
    var next = first.target("next")
    while let target = next {
      let reply = service.get(target)
      #expect(reply.response.fields[.geoqGeneration] == "2")
      ids += reply.ids
      next = reply.target("next")
    }
    let expected = left.map(\.id).filter {
      first.ids[99].utf8.lexicographicallyPrecedes($0.utf8)
    }
    #expect(ids == expected)
  }

  @Test(arguments: ["x", "AAAA", "%00", "WzEsMiwzLDRd", "WzFd", "bnVsbA", "=", "-_-_"])
  func `a damaged cursor is refused`(cursor: String) throws {
    #expect(try SampleService().get("\(Self.items)?cursor=\(cursor)").status == 400)
  }

  @Test func `a cursor of another query is refused`() throws {
    let service = try SampleService()
    let next = try #require(service.get("\(Self.items)?category=Thai").target("next"))
    let stolen = next.replacing("category=Thai", with: "category=Caf%C3%A9")
    #expect(service.get(next).status == 200)
    #expect(service.get(stolen).status == 400)
    #expect(service.get(next + "&offset=1").status == 400)
    let disc = "/radius?lat=1&lon=2&radius=20037508&limit=7"
    let page = try #require(service.get(disc).target("next"))
    #expect(service.get(page).status == 200)
    #expect(service.get(page.replacing("lat=1&", with: "lat=1.5&")).status == 400)
    #expect(service.get(page + "&offset=1").status == 400)
  }

  @Test func `ratings of different scales are compared as shares, and lists by each category`()
    throws
  {
    let ratings: [(String, Double, Double?)] = [
      ("a", 8, 10), ("b", 4.5, 5), ("c", 4, nil), ("d", 1, 5), ("e", 9.5, 10),
    ]
    let places = try ratings.enumerated().map { number, rating in
      let coordinate = try #require(Coordinate(latitude: 1, longitude: Double(number)))
      var place = Restaurant(id: rating.0, name: "A", coordinate: coordinate, source: "s")
      (place.rating, place.ratingScale) = (rating.1, rating.2)
      place.category = ["Thai, Bars", "Food > Thai", "Thai", "Bars", "Thailand"][number]
      return place
    }
    let service = try SampleService(places)
    func ids(_ query: String) -> [String] {
      service.get("/collections/restaurants/items?\(query)").features
        .compactMap { $0["id"] as? String }
    }
    #expect(ids("sortby=rating") == ["d", "a", "c", "b", "e"])
    #expect(ids("sortby=-rating") == ["e", "b", "a", "c", "d"])
    #expect(ids("category=thai") == ["a", "b", "c"])
    #expect(ids("category=Bars,thailand") == ["a", "d", "e"])
  }
}

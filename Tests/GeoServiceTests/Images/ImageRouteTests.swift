import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import GeoService

/// `GET /images/{id}/{n}`, and images on the pages.
struct ImageRouteTests {
  private let folder: ImageTestFolder
  private let asked = NIOLockedValueBox<[String]>([])

  init() throws {
    folder = try ImageTestFolder()
  }

  private func place(_ id: String, _ images: [String]) throws -> Restaurant {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    var place = Restaurant(id: id, name: "Name \(id)", coordinate: coordinate, source: "test")
    place.category = "Thai"
    place.rating = 4.5
    place.imageURL = images.first
    place.images = images.count > 1 ? images : []
    return place
  }

  /// A service whose host has images under `/good`.
  private func service(_ places: [Restaurant]) throws -> SampleService {
    var settings = ServiceSettings.sample
    let cache = try #require(ImageCache(folder.path, maximumBytes: 1_000_000))
    let host = try #require(ImageHost("http://img.example"))
    struct Missing: Error {}
    settings.images = RestaurantImages(folder: nil, hosts: [host], cache: cache) {
      [asked] address in
      asked.withLockedValue { $0.append(address.text) }
      if address.text.contains("/good") { return SampleImages.png(8, 6) }
      if address.text.contains("/drawing") { return Array("<svg/>".utf8) }
      throw Missing()
    }
    return try SampleService(places, settings: settings)
  }

  @Test func `a restaurant's images are listed by their addresses here`() throws {
    let service = try service([
      try place(
        "a/b",
        ["http://img.example/good/1", "http://other.example/2", "http://img.example/good/3"]
      ),
      try place("none", []),
    ])
    let reply = service.get("/images/a%2Fb")
    #expect(reply.status == 200 && reply.json["id"] as? String == "a/b")
    let images = reply.json["images"] as? [String] ?? []
    #expect(images == ["http://localhost/images/a%2Fb/0", "http://localhost/images/a%2Fb/2"])
    for image in images { #expect(service.get(String(image.dropFirst(16))).status == 200) }
    #expect(service.get("/images/none").json["images"] as? [String] == [])
    #expect(service.get("/images/nobody").status == 404)
    #expect(try SampleService().get("/images/place-1").status == 404)
  }

  @Test func `an image comes by record and number, with fields that let it do nothing`() throws {
    let service = try service([
      try place("a/b", ["http://img.example/good/1", "http://img.example/good/2"])
    ])
    let reply = service.get("/images/a%2Fb/1")
    #expect(reply.status == 200)
    #expect(reply.response.body == SampleImages.png(8, 6))
    #expect(reply.type == "image/png")
    let fields = reply.response.fields
    #expect(fields[.xContentTypeOptions] == "nosniff")
    #expect(
      fields[.contentSecurityPolicy] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )
    #expect(fields[.cacheControl] == "public, max-age=600")
    let tag = try #require(fields[.eTag])
    let again = service.get("/images/a%2Fb/1", [.ifNoneMatch: tag])
    #expect(again.status == 304 && again.response.body.isEmpty)
    #expect(asked.withLockedValue { $0 } == ["http://img.example/good/2"])
    for accept in ["image/avif,image/webp,*/*;q=0.8", "image/png", "image/*"] {
      #expect(service.get("/images/a%2Fb/0", [.accept: accept]).status == 200, "\(accept)")
    }
  }

  @Test(
    arguments: [
      "/images/a/1", "/images/a/00", "/images/a/-1", "/images/a/x", "/images/a/",
      "/images/", "/images/none/0", "/images/a/0/0", "/images/a/999999999999999999999",
      "/images//0",
      "/images/http%3A%2F%2Fimg.example%2Fgood/0", "/images/a/http%3A%2F%2Fimg.example%2Fgood",
      "/images/b/0", "/images/c/0", "/images/d/0", "/images/e/0", "/images/f/0",
    ]
  )
  func `anything else is not found, and nothing else is asked for`(target: String) throws {
    let service = try service([
      try place("a", ["http://img.example/good"]), try place("b", ["http://other.example/good"]),
      try place("c", ["http://img.example@other.example/good"]), try place("d", []),
      try place("e", ["http://img.example/missing"]),
      try place("f", ["http://img.example/drawing"]),
    ])
    let reply = service.get(target)
    // 00 is a number all the same
    #expect(reply.status == (target == "/images/a/00" ? 200 : 404), "\(target)")
    #expect(asked.withLockedValue { $0.allSatisfy { $0.hasPrefix("http://img.example/") } })
    #expect(service.get("/images/a%zz/0").status == 400)
    #expect(service.get("/images/a/0?url=http://img.example/good").status == 400)
  }

  @Test func `without images there is no such route, and pages show drawings`() throws {
    let service = try SampleService([try place("a", ["http://img.example/good"])])
    #expect(service.get("/images/a/0").status == 404)
    #expect(service.get("/api").json["paths"] as? [String: Any] != nil)
    #expect(!service.get("/api").text.contains("/images/"))
    for path in ["/app/", "/app/restaurants/a"] {
      #expect(!service.get(path).text.contains("<img"))
    }
  }

  @Test func `card and detail show the same image, from the service alone`() throws {
    let service = try service([
      try place(
        "a/b",
        ["http://img.example/good/1", "http://other.example/x", "http://img.example/good/2"]
      ),
      try place("c", ["http://other.example/good"]),
    ])
    let list = service.get("/app/").text
    let images = list.matches(of: /<img class="picture" src="([^"]*)" alt="([^"]*)" loading="lazy"/)
    #expect(images.map { String($0.1) } == ["http://localhost/images/a%2Fb/0"])
    #expect(images.map { String($0.2) } == ["Name a/b"])
    #expect(list.matches(of: /<span class="drawing/).count == 2)
    let detail = service.get("/app/restaurants/a%2Fb").text
    let strip = detail.matches(of: /<img class="picture" src="([^"]*)" alt="([^"]*)"/)
    #expect(strip.map { String($0.1) } == [0, 2].map { "http://localhost/images/a%2Fb/\($0)" })
    #expect(strip.map { String($0.2) } == (1...2).map { "Name a/b, picture \($0) of 2" })
    #expect(detail.contains("<p class=\"badge\"><span class=\"rating\">4.5 ★</span></p>"))
    #expect(asked.withLockedValue { $0.isEmpty })
    // what has failed is not tried again by every page
    let broken = try self.service([try place("e", ["http://img.example/missing"])])
    #expect(broken.get("/app/").text.contains("<img"))
    #expect(broken.get("/images/e/0").status == 404)
    #expect(!broken.get("/app/").text.contains("<img"))
  }

  @Test func `an offer's pictures come by its id and a number, and are on its pages`() throws {
    var offer = Offer(id: "o/1", name: "Soup", source: "s")
    offer.url = "http://img.example/good/small"
    offer.largeURL = "http://img.example/good/large"
    offer.restaurants = ["a"]
    var other = Offer(id: "p", name: "Bread", source: "s")
    other.url = "http://other.example/good"
    let book = OfferBook(revision: 1, offers: [offer, other], chains: [])
    var settings = ServiceSettings.sample
    settings.images = try service([]).service.settings.images
    let service = try SampleService([try place("a", [])], settings: settings, book: book)
    let reply = service.get("/offer-images/o%2F1/1")
    #expect(reply.status == 200 && reply.type == "image/png")
    #expect(reply.response.fields[.cacheControl] == "public, max-age=600")
    #expect(reply.response.fields[.xContentTypeOptions] == "nosniff")
    #expect(asked.withLockedValue { $0 } == ["http://img.example/good/large"])
    for target in ["o%2F1/2", "p/0", "nobody/0", "a/0", "o%2F1/x"] {
      #expect(service.get("/offer-images/" + target).status == 404, "\(target)")
    }
    let source = /<img class="picture" src="([^"]*)"/
    let list = service.get("/app/offers").text.matches(of: source).map { String($0.1) }
    #expect(list == ["http://localhost/offer-images/o%2F1/0"])
    let detail = service.get("/app/offers/o%2F1").text
    #expect(
      detail.matches(of: source).map { String($0.1) } == ["http://localhost/offer-images/o%2F1/1"]
    )
    #expect(!detail.contains("img.example"))
    // an image that is not fetched is still a link
    #expect(service.get("/app/offers/p").text.contains("http://other.example/good"))
    #expect(try SampleService(book: book).get("/offer-images/o%2F1/0").status == 404)
  }

  @Test func `a folder has pictures of offers too`() throws {
    folder.write(SampleImages.png(5, 5), to: "offer%3Ao.png")
    var settings = ServiceSettings.sample
    settings.images = RestaurantImages(folder: try #require(ImageFolder(folder.path)))
    let offer = Offer(id: "o", name: "Soup", source: "s")
    let book = OfferBook(revision: 1, offers: [offer], chains: [])
    let service = try SampleService(settings: settings, book: book)
    #expect(service.get("/offer-images/o/0").status == 200)
    #expect(service.get("/app/offers").text.contains("/offer-images/o/0"))
  }

  @Test func `a folder goes first, and needs no network`() throws {
    folder.write(SampleImages.png(5, 5), to: "a+1.png")
    folder.write(Array("<svg onload=\"alert(1)\"/>".utf8), to: "b.svg")
    var settings = ServiceSettings.sample
    settings.images = RestaurantImages(folder: try #require(ImageFolder(folder.path)))
    let service = try SampleService(
      [try place("a", ["http://img.example/good"]), try place("b", [])],
      settings: settings
    )
    #expect(service.get("/images/a/1").status == 200)
    #expect(service.get("/images/a/0").status == 404)
    let drawing = service.get("/images/b/0")
    #expect(drawing.type == "image/svg+xml")
    #expect(drawing.response.fields[.contentSecurityPolicy]?.hasSuffix("; sandbox") == true)
    let page = service.get("/app/").text
    #expect(page.contains("/images/a/1\"") && page.contains("/images/b/0\""))
  }

  @Test func `an image is answered for over a connection, HEAD included`() async throws {
    let service = try service([try place("a", ["http://img.example/good"])])
    try await RunningService.with(service.service) { port in
      for method in ["GET", "HEAD"] {
        let connection = try #require(RawConnection(port: port))
        defer { connection.close() }
        connection.send(
          Array(
            "\(method) /images/a/0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8
          )
        )
        let (bytes, _) = await connection.receive(within: 60)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 "), "\(text.prefix(80))")
        #expect(text.contains("image/png"))
      }
    }
  }
}

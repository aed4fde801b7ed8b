import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Hostile texts in every field of an offer and of a plan, on every page of a plan: they stay texts.
struct HostilePlanPageTests {
  private func service(_ text: String) throws -> SampleService {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    var place = Restaurant(id: text, name: text, coordinate: coordinate, source: text)
    place.category = text
    place.chain = text
    var offer = Offer(id: text, name: text, source: text)
    offer.description = text
    offer.terms = text
    offer.url = text
    offer.largeURL = text
    offer.categories = [text]
    offer.chains = [text]
    offer.restaurants = [text]
    offer.restaurantCategories = [text]
    offer.expiration = text
    offer.amount = 1
    var settings = ServiceSettings.sample
    settings.places = [NamedPlace(name: text, coordinate: coordinate)]
    let chain = Chain(id: text, name: text, source: text)
    let book = OfferBook(revision: 1, offers: [offer], chains: [chain])
    return try SampleService([place], settings: settings, book: book)
  }

  @Test func `every text in every field of a plan is shown as a text`() throws {
    for text in HostileLunchPageTests.texts {
      let service = try service(text)
      let id = PercentCoding.encoded(text)
      let plan =
        "want=category%3A\(id)&want=offer%3A\(id)&want=text%3A\(id)&want=\(id)&words=\(id)"
        + "&with=\(id)&with=1,1&pick=\(id)&pick=x\(id)&seed=\(id)&max=\(id)&places=\(id)&by=\(id)"
      var targets = [
        "/app/wants?at=1,1&\(plan)", "/app/wants?\(plan)", "/app/wants?at=\(id)&\(plan)",
        "/app/wants?at=1,1&max=0&want=offer%3A\(id)", "/app/offers?\(plan)",
        "/app/offers?at=1,1&q=\(id)&category=\(id)", "/app/meet?at=1,1&\(plan)",
        "/app/meet?\(plan)&q=\(id)", "/app/shortlist?pick=\(id)&seed=1", "/app/shortlist?\(plan)",
        "/app/?\(plan)",
      ]
      // NUL stands in no address
      if !text.utf8.contains(0) {
        targets += ["/app/offers/\(id)?\(plan)", "/app/restaurants/\(id)?\(plan)"]
      }
      for target in targets {
        let reply = service.get(target)
        if reply.status == 400 && text.utf8.contains(0) { continue }
        // an address may be too long for its pieces
        if reply.status == 414 && target.utf8.count > RequestTarget.maximumLength { continue }
        #expect(reply.status == 200, "\(target)")
        let tags = HostileLunchPageTests.skeleton(reply.text)
        for tag in tags {
          #expect(!tag.hasPrefix("quoted") && tag != "unclosed", "\(text) \(tag)")
          #expect(tag.matches(of: /\ on[a-z]+/).isEmpty, "\(text) \(tag)")
        }
        let scripts = Set(tags.filter { $0.hasPrefix("<script") })
        #expect(scripts == ["<script type= src=>"], "\(text)")
        for address in reply.text.matches(of: /(?:href|src|action)="([^"]*)"/) {
          let isSafe = ["http://localhost/", "https://", "http://", "tel:", "geo:", "#"].contains {
            address.1.hasPrefix($0)
          }
          #expect(isSafe, "\(text) \(address.1)")
        }
      }
    }
  }
}

import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes
import Testing

@testable import GeoService

/// The pages of a plan, as a browser without JavaScript sees them.
struct PlanPageTests {
  private let places = SamplePlaces().places

  private func service(favorites: (any FavoriteKeeping)? = nil) throws -> SampleService {
    var settings = ServiceSettings.sample
    let office = try #require(Coordinate(latitude: 32.95, longitude: -96.82))
    settings.places = [NamedPlace(name: "Office", coordinate: office)]
    return try SampleService(settings: settings, favorites: favorites)
  }

  /// The address of the first link with some attributes before it or in it.
  private func link(_ pattern: String, in page: String) throws -> String {
    let found = try #require(
      page.firstMatch(of: try Regex("\(pattern)[^>]*href=\"http://localhost([^\"]*)\"")),
      "\(pattern)"
    )
    let address = try #require(found.output[1].substring)
    return String(address).replacing("&amp;", with: "&")
  }

  private func texts(_ page: String, _ pattern: String) throws -> [String] {
    page.matches(of: try Regex(pattern)).compactMap { $0.output[1].substring.map(String.init) }
  }

  @Test(arguments: [
    "/app/wants", "/app/wants?want=Thai", "/app/wants?want=Thai&at=office", "/app/offers",
    "/app/offers?at=1,1&q=wings", "/app/offers/place-1", "/app/offers/b%2F%C3%B6?at=office",
    "/app/meet", "/app/meet?at=office&with=1,1", "/app/shortlist",
    "/app/shortlist?pick=place-1&seed=3",
  ])
  func `every page is whole, and loads from the service only`(target: String) throws {
    let reply = try service().get(target)
    #expect(reply.status == 200 && reply.type == "text/html; charset=utf-8")
    #expect(reply.response.fields[.cacheControl] == "private, no-cache")
    #expect(
      reply.text.matches(of: /<script/).count == reply.text.matches(of: /<script [^>]*src=/).count
    )
    #expect(!reply.text.contains(" style=") && !reply.text.contains("notice fault"))
    #expect(reply.text.contains("aria-current=\"page\">Wants</a>"))
    for found in reply.text.matches(of: /(?:src|<link[^>]*href)="([^"]*)"/) {
      #expect(found.1.hasPrefix("http://localhost/"), "\(found.1)")
    }
    for tag in ["section", "article", "form", "ul", "ol", "details", "p", "a", "div", "nav"] {
      let opened = try texts(reply.text, "<(\(tag))[ >]").count
      #expect(try texts(reply.text, "</(\(tag))>").count == opened, "\(tag)")
    }
  }

  @Test func `a list begins with categories, and each addition and removal is a link`() throws {
    let service = try service()
    let empty = service.get("/app/wants?at=office").text
    let counts = service.get("/facets?by=category").json["facets"] as? [[String: Any]] ?? []
    for facet in counts {
      guard let name = facet["value"] as? String, let count = facet["count"] as? Int else {
        continue
      }
      #expect(empty.contains("<bdi>\(name)</bdi> <small>\(count)</small>"), "\(name)")
    }
    #expect(empty.contains("Try: ") && !empty.contains("class=\"receipt\""))
    let tried = service.get(try link("<a class=\"button\" id=\"try\"", in: empty)).text
    #expect(try texts(tried, "class=\"(remove)\"").count == 3)
    let added = service.get("/app/wants?at=office&want=Thai").text
    #expect(try texts(added, "class=\"(remove)\"").count == 1)
    #expect(
      !(try texts(added, "chip\" href=\"[^\"]*want=Thai&amp;want=([^\"]*)\"")).contains("Thai")
    )
    let gone = service.get(try link("class=\"remove\"", in: added)).text
    #expect(gone.contains("Nothing is on the list yet"))
  }

  @Test(arguments: [
    "", "&by=walk", "&by=spread", "&places=1", "&places=5", "&max=3km", "&max=0",
    "&by=walk&max=9mi",
  ])
  func `the receipts are the answers of cover`(options: String) throws {
    let service = try service()
    let wants =
      "&want=Thai&want=text:place%201&want=rating%20%3E%3D%204.7&want=offer:place-1&want=Nothing"
    let page = service.get("/app/wants?at=32.95,-96.85\(options)\(wants)").text
    let asked = "/cover?lat=32.95&lon=-96.85\(wants)"
    let group = service.get("\(asked)\(options)").json
    let met = try #require(group["met"] as? Int)
    let stops = group["places"] as? [[String: Any]] ?? []
    let outcomes = group["wants"] as? [[String: Any]] ?? []
    let together = try #require(page.firstMatch(of: /id="together">[\s\S]*?<\/article>/)).output
    let ids =
      try texts(
        String(together),
        "restaurants/([^?\"]*)"
      )
    #expect(ids == stops.compactMap { $0["id"] as? String })
    let cost = try #require(group["cost"] as? Double)
    let total = stops.isEmpty ? "" : " · \(PageUnits.kilometers.text(of: cost))"
    #expect(together.contains("<p class=\"total\">\(met) of 5\(total)</p>"))
    #expect(together.contains("Met (\(met))") == (met > 0))
    #expect(together.contains("Missing (\(5 - met))"))
    // each want with its places and the nearest of them
    let list = try #require(page.firstMatch(of: /<ul class="wants"[\s\S]*?<\/ul>/)).output
    let counts = try texts(String(list), "quiet\">(?:<bdi>[^<]*</bdi> · )?([0-9]+) place")
      .compactMap { Int($0) }
    #expect(counts == outcomes.compactMap { $0["places"] as? Int })
    let nearest = outcomes.compactMap { ($0["nearest"] as? [String: Any])?["id"] as? String }
    #expect(try texts(String(list), "restaurants/([^?\"]*)") == nearest)
    #expect(
      try texts(String(list), "label=\"(met|missing)\"")
        == outcomes.map {
          $0["met"] as? Bool == true ? "met" : "missing"
        }
    )
    // an offer goes by its name, which leads to it, and names those that have it
    #expect(list.contains("/app/offers/place-1?"))
    #expect(list.contains("<bdi>Ten wings</bdi></a>") && !page.contains("<bdi>offer:place-1</bdi>"))
    let maximum = options.firstMatch(of: /&max=[^&]*/).map { String($0.output) } ?? ""
    let all = service.get("\(asked)\(maximum)&rank=200").json["places"] as? [[String: Any]] ?? []
    // one want alone does not help
    let ranked = all.filter { ($0["meets"] as? [String] ?? []).count > 1 }.prefix(6)
    let alone = page.firstMatch(of: /id="alone">[\s\S]*?<\/ol>/).map { String($0.output) } ?? ""
    #expect(
      try texts(alone, "<h3><a href=\"[^\"]*restaurants/([^?\"]*)")
        == ranked.map {
          $0["id"] as? String ?? ""
        }
    )
    #expect(
      try texts(alone, "total\">([0-9]) of 5").compactMap { Int($0) }
        == ranked.map {
          ($0["meets"] as? [String])?.count ?? 0
        }
    )
  }

  @Test func `without a place the list counts, and asks where one is`() throws {
    let named = try service().service.live.current.book
    let target = "/app/wants?want=Thai&want=offer:place-1&want=Nothing"
    let page = try SampleService(places, book: named).get(target).text
    #expect(try texts(page, "quiet\">(?:<bdi>[^<]*</bdi> · )?([0-9]+) place") == ["100", "2", "0"])
    #expect(page.contains("Say where you are"))
    #expect(!page.contains("class=\"receipt\""))
  }

  @Test func `an offer that has gone is said, and the others are answered`() throws {
    let page = try service().get("/app/wants?at=office&want=offer:gone&want=Thai").text
    #expect(page.contains("There is no such offer any more."))
    #expect(page.contains("1 of 1") && page.contains("id=\"together\""))
    let alone = try service().get("/app/wants?at=office&want=offer:gone")
    #expect(alone.status == 200 && !alone.text.contains("class=\"receipt\""))
  }

  @Test func `from a category to an offer, onto the list, and to a receipt`() throws {
    let service = try service()
    let start = service.get("/app/wants?at=office").text
    let all = service.get(try link("<a class=\"button\" id=\"from-offers\"", in: start)).text
    #expect(all.contains("&lt;b&gt;Nowhere&lt;/b&gt;") && all.contains("2 of 2"))
    let lunch = service.get(try link("aria-label=\"Categories\"><li><a class=\"chip\"", in: all))
      .text
    #expect(lunch.contains("Ten wings") && !lunch.contains("Nowhere") && lunch.contains("1 of 1"))
    let detail = service.get(
      try link("<li class=\"card\" id=[^>]*><a class=\"cover[^\"]*\"", in: lunch)
    ).text
    #expect(detail.contains("<h1><bdi>Ten wings</bdi></h1>"))
    #expect(detail.contains("<strong>4.50</strong>"))
    let found = try texts(detail, "class=\"cover[^>]*restaurants/([^?\"]*)")
    let office = try #require(Coordinate(latitude: 32.95, longitude: -96.82))
    let expected = places.filter { ["place-1", "place-5"].contains($0.id) }
      .sorted { office.distance(to: $0.coordinate) < office.distance(to: $1.coordinate) }
    #expect(found == expected.map(\.id))
    let added = service.get(try link("<a class=\"button want\"", in: detail)).text
    #expect(added.contains("✓ On the list"))
    let wants = service.get(
      try link("<a class=\"button want on\"[\\s\\S]*?<a class=\"listed\"", in: added)
    ).text
    #expect(wants.contains("<p class=\"total\">1 of 1 ·") && wants.contains("<bdi>Ten wings</bdi>"))
    #expect(service.get("/app/offers/nobody", [.accept: "text/html"]).status == 404)
  }

  @Test(arguments: [
    (0.75, "0.75"), (4.5, "4.50"), (10, "10"), (12.345, "12.345"), (0.05, "0.05"), (2_000, "2000"),
  ])
  func `an amount is shown with all its decimals, on every page`(
    amount: Double,
    text: String
  ) throws {
    var offer = Offer(id: "o", name: "Wings", source: "s")
    offer.amount = amount
    offer.restaurants = ["place-1"]
    let service = try SampleService(
      places,
      book: OfferBook(revision: 1, offers: [offer], chains: [])
    )
    for path in ["/app/offers", "/app/offers/o", "/app/restaurants/place-1"] {
      #expect(service.get(path).text.contains("worth <strong>\(text)</strong>"), "\(path)")
    }
  }

  @Test(arguments: [
    ("\"USD\"", "<strong>$0.75</strong>"), ("\"€\"", "<strong>€0.75</strong>"),
    ("\"CHF\"", "<strong>0.75 CHF</strong>"), ("\"<b>\"", "<strong>0.75 &lt;b&gt;</strong>"),
    ("\"dollars\"", "worth <strong>0.75</strong>"), ("7", "worth <strong>0.75</strong>"),
  ])
  func `an amount has its currency if the feed says it`(currency: String, text: String) throws {
    var offer = Offer(id: "o", name: "Wings", source: "s")
    offer.amount = 0.75
    offer.extra = [
      JSONMember(name: "currency", value: try JSONValue(parsing: Array(currency.utf8)))
    ]
    let book = OfferBook(revision: 1, offers: [offer], chains: [])
    let page = try SampleService(places, book: book).get("/app/offers/o").text
      .replacing(/<\/?bdi>/, with: "")
    #expect(page.contains(text), "\(text)")
  }

  @Test
  func `an offer that has ended is marked, is not met, and is listed only if it is asked for`()
    throws
  {
    var offers = ["a", "b"].map { Offer(id: $0, name: "Offer \($0)", source: "s") }
    for index in offers.indices { offers[index].restaurants = ["place-\(1 + index)"] }
    offers[0].expiration = "2026-11-30"
    offers[0].categories = ["Soups"]
    let book = OfferBook(revision: 1, offers: offers, chains: [])
    let service = try SampleService(places, book: book)
    let before = service.get("/app/offers?on=2026-11-30").text
    #expect(before.contains("2 of 2") && before.contains("Until <bdi>30 Nov 2026</bdi>"))
    let after = service.get("/app/offers?on=2026-12-01").text
    #expect(after.contains("1 of 1") && !after.contains("Offer a") && !after.contains("Soups"))
    let all = service.get(try link("1 of 1 · <a", in: after)).text
    #expect(all.contains("2 of 2") && all.contains("Ended <bdi>30 Nov 2026</bdi>"))
    #expect(all.contains("class=\"card ended\"") && all.contains("hide ended offers"))
    let detail = service.get("/app/offers/a?on=2026-12-01").text
    #expect(detail.contains("Ended <bdi>30 Nov 2026</bdi>") && !detail.contains("button want"))
    let wants = "/app/wants?at=32.95,-96.82&want=offer:a&want=offer:b"
    #expect(service.get(wants + "&on=2026-11-30").text.contains("2 of 2"))
    let ended = service.get(wants + "&on=2026-12-01").text
    #expect(ended.contains("1 of 2") && ended.contains("It has ended."))
    #expect(ended.contains("Ended <bdi>30 Nov 2026</bdi>") && ended.contains("Add from 1 offer<"))
    let place = "/app/restaurants/place-1?on="
    #expect(service.get(place + "2026-11-30").text.contains("Offers here"))
    #expect(!service.get(place + "2026-12-01").text.contains("Offers here"))
    // the day goes along, and a wrong one is said
    #expect(ended.contains("on=2026-12-01&amp;"))
    #expect(service.get("/app/offers?on=soon").text.contains("is not a date"))
  }

  @Test func `adding an offer returns to its card, which says so`() throws {
    let service = try service()
    let page = service.get("/app/offers?at=office").text
    let address = try #require(page.firstMatch(of: /href="([^"]*)#(offer-place-1)">Add/)).output
    #expect(page.contains("id=\"\(address.2)\""))
    // the fragment is the browser's
    let target = try link("<a class=\"button want\"", in: page).prefix { $0 != "#" }
    let added = service.get(String(target)).text
    #expect(added.contains("<h1>Offers</h1>") && added.contains("✓ On the list"))
    #expect(added.contains("See the list") && added.contains("The list <small>1</small>"))
  }

  @Test func `an offer's places go on to the last, and its chains are named`() throws {
    var shops = (0..<30).compactMap { number -> Restaurant? in
      let point = Coordinate(latitude: 32.95 + Double(number) / 100, longitude: -96.82)
      var place = point.map {
        Restaurant(id: "s\(100 + number)", name: "S", coordinate: $0, source: "s")
      }
      place?.chain = number % 2 == 0 ? "Target" : "Walmart"
      place?.category = number % 2 == 0 ? "Shop" : "Store"
      return place
    }
    shops[29].chain = nil
    var offer = Offer(id: "o", name: "Soup", source: "s")
    offer.chains = ["Target", "Walmart", "Aldi", "Lidl"]
    let chains = offer.chains.map { Chain(id: $0, name: $0, source: "s") }
    let book = OfferBook(revision: 1, offers: [offer], chains: chains)
    let service = try SampleService(shops, book: book)
    var found: [String] = []
    var target = "/app/offers/o?at=32.95,-96.82"
    for count in ["12 of 29 places", "17 more of 29 places"] {
      let page = service.get(target).text
      #expect(page.contains(count))
      found += try texts(page, "class=\"cover[^>]*restaurants/([^?\"]*)")
      if found.count < 29 { target = try link("<a class=\"button\" id=\"more\"", in: page) }
    }
    #expect(found == shops.prefix(29).map(\.id))
    // a list with it names the first two; the ranking has each chain once
    let wants = service.get("/app/wants?at=32.95,-96.82&want=offer:o&want=Shop&want=Store&places=1")
      .text
    #expect(wants.contains("<bdi>Target, Walmart + 2</bdi> · 29 places"))
    #expect(wants.contains("No branch in the data: <bdi>Aldi, Lidl</bdi>"))
    let alone = try #require(wants.firstMatch(of: /id="alone">[\s\S]*?<\/ol>/)).output
    #expect(try texts(String(alone), "<h3><a[^>]*><bdi>([^<]*)") == ["Target", "Walmart"])
    #expect(try texts(String(alone), "nearest 0 m, ([0-9]+) places") == ["15"])
    #expect(try texts(String(alone), "nearest 1.1 km, ([0-9]+) places") == ["14"])
    let detail = service.get("/app/offers/o").text
    #expect(
      detail.contains(
        "Target (15 places), Walmart (14 places), Aldi (no branch in the data), Lidl (no branch in the data)"
      )
    )
  }

  @Test(arguments: [
    ("★ 4", "rating%20%3E%3D%204", "★ 4 or better"),
    ("4.5★", "rating%20%3E%3D%204.5", "★ 4.5 or better"),
    ("$$", "priceLevel%20%3C%3D%202", "$$ or less"),
    ("craft beer", "text%3Acraft%20beer", "“craft beer”"),
    ("$5", "text%3A%245", "“$5”"),
  ])
  func `rating and price are typed and shown as signs`(
    typed: String,
    want: String,
    title: String
  )
    throws
  {
    let page = try service().get("/app/wants?words=\(PercentCoding.encoded(typed))").text
    #expect(page.contains("<p><bdi>\(title)</bdi></p>"))
    #expect(page.contains("want=\(want)"), "\(want)")
  }

  @Test func `offers go on over pages, and words choose`() throws {
    let offers = (0..<60).map { Offer(id: "o\(100 + $0)", name: "Offer \($0)", source: "s") }
    let book = OfferBook(revision: 1, offers: offers, chains: [])
    let service = try SampleService(places, book: book)
    var found: [String] = []
    var target = "/app/offers"
    for count in ["24 of 60", "48 of 60", "60 of 60"] {
      let page = service.get(target).text
      #expect(page.contains(count))
      found += try texts(page, "class=\"cover[^>]*app/offers/([^?\"]*)\"")
      if page.contains("id=\"more\"") {
        target = try link("<a class=\"button\" id=\"more\"", in: page)
      }
    }
    #expect(found == offers.map(\.id))
    #expect(service.get("/app/offers?q=offer%205").text.contains("11 of 11"))
    #expect(service.get("/app/offers?q=zzz").text.contains("No offer matches"))
    #expect(service.get("/app/offers?cursor=x").status == 200)
    #expect(service.get("/app/offers?cursor=-99999999999999999999").status == 200)
    #expect(try SampleService(places, book: .empty).get("/app/offers").text.contains("geoq import"))
  }

  @Test(arguments: ["", "&by=max", "&q=place%201"])
  func `people meet where the service says, and each sees the own way`(options: String) throws {
    let service = try service()
    let page = service.get("/app/meet?at=office&with=32.99,-96.85&with=place-7\(options)").text
    let own = try #require(places.first { $0.id == "place-7" }).coordinate
    let asked =
      "/meet?at=32.95,-96.82&at=32.99,-96.85&at=\(own.latitude),\(own.longitude)&count=12\(options)"
    let items = service.get(asked).json["items"] as? [[String: Any]] ?? []
    #expect(!items.isEmpty)
    let found = try texts(page, "class=\"cover[^>]*restaurants/([^?\"]*)")
    #expect(found == items.compactMap { $0["id"] as? String })
    let costs = items.compactMap { $0["cost"] as? Double }
    #expect(
      try texts(page, "total\"><strong>([^<]*)<") == costs.map(PageUnits.kilometers.text(of:))
    )
    let ways = items.flatMap { $0["distances"] as? [Double] ?? [] }
    #expect(
      try texts(page, "<li>(?:you|<bdi>[^<]*</bdi>) ([0-9.]+ k?m)</li>")
        == ways.map {
          PageUnits.kilometers.text(of: $0)
        }
    )
    #expect(try texts(page, "class=\"(remove)\"").count == 3)
  }

  @Test func `a meeting begins with one, and wrong people are said`() throws {
    let service = try service()
    let none = service.get("/app/meet").text
    #expect(none.contains("two or more of you") && none.contains("at=Office"))
    let one = service.get("/app/meet?with=1,1&with=nowhere").text
    #expect(one.contains("is not a place") && one.contains("two or more of you"))
    let two = service.get("/app/meet?with=1,1&with=office").text
    #expect(two.contains("class=\"cards\""))
    let less = service.get(try link("class=\"remove\"", in: two)).text
    #expect(less.contains("two or more of you") && less.contains("Office"))
    let detail = service.get("/app/restaurants/place-7?at=office").text
    let meet = service.get(try link("More</summary><div><a class=\"button\"", in: detail)).text
    #expect(try texts(meet, "class=\"(remove)\"").count == 2 && meet.contains("class=\"cards\""))
    #expect(
      service.get("/app/meet?with=1,1&with=2,2&q=zzzz").text.contains("No restaurant matches")
    )
  }

  @Test func `five cards travel in the link through all pages, and the link picks one of them`()
    throws
  {
    let service = try service()
    var target = "/app/?at=office&want=Thai"
    for count in 1...5 {
      let page = service.get(target).text
      target = try link("<a class=\"pick\"", in: page)
      #expect(service.get(target).text.contains("Short list (\(count) of 5)"))
    }
    let full = service.get(target).text
    #expect(!full.contains("class=\"pick\"") && full.contains("class=\"pick pick-on\""))
    for tab in ["Favorites", "Wants", "Lunch"] {
      let found = try #require(
        full.firstMatch(of: try Regex("href=\"http://localhost([^\"]*)\"[^>]*>\(tab)<"))
      )
      let address = String(try #require(found.output[1].substring)).replacing("&amp;", with: "&")
      let page = service.get(address).text
      #expect(page.contains("Short list (5 of 5)"), "\(tab)")
      #expect(page.contains("want=Thai"), "\(tab)")
    }
    let list = service.get(try link("<p class=\"picks\"><a", in: full)).text
    let ids = try texts(list, "class=\"cover[^>]*restaurants/([^?\"]*)")
    #expect(ids.count == 5 && !list.contains("id=\"chosen\""))
    let picked = try link("<a class=\"button\" id=\"pick-one\"", in: list)
    let (first, second) = (service.get(picked).text, service.get(picked).text)
    let chosen = try texts(first, "id=\"chosen\"[\\s\\S]*?restaurants/([^?\"]*)")
    #expect(chosen.count == 1 && ids.contains(chosen[0]))
    #expect(try texts(second, "id=\"chosen\"[\\s\\S]*?restaurants/([^?\"]*)") == chosen)
    // one fewer
    let fewer = service.get(try link("<a class=\"pick pick-on\"", in: first)).text
    #expect(try texts(fewer, "class=\"cover[^>]*restaurants/([^?\"]*)") == Array(ids.dropFirst()))
    let gone = service.get("/app/shortlist?pick=nobody&pick=place-1&seed=1").text
    #expect(gone.contains("not there any more") && gone.contains("id=\"chosen\""))
  }

  @Test func `a restaurant's page has its offers, and the way to put them on the list`() throws {
    let service = try service()
    let page = service.get("/app/restaurants/place-5").text
    let section = try #require(page.firstMatch(of: /data-section="offers"[\s\S]*?<\/details>/))
      .output
    #expect(section.contains("Offers here</h2> <span>1</span>") && section.contains("Ten wings"))
    #expect(section.contains("want=offer%3Aplace-1"))
    #expect(!service.get("/app/restaurants/place-7").text.contains("Offers here"))
  }

  @Test func `the owner's pages have hearts that come back to them`() throws {
    let service = try service(favorites: MemoryFavorites())
    let target = "/app/meet?at=office&with=1,1&want=Thai&pick=place-3"
    let page = service.send(.owners(.get, target)).text
    #expect(page.contains("class=\"keep\""))
    #expect(
      page.contains(
        "name=\"back\" value=\"/app/meet?at=office&amp;want=Thai&amp;with=1,1&amp;pick=place-3\""
      )
    )
  }
}

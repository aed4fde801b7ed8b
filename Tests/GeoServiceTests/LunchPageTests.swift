import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes
import Testing

@testable import GeoService

/// The pages of the lunch page, as a browser without JavaScript sees them.
struct LunchPageTests {
  private let favorites = MemoryFavorites()
  private static let pages = [
    "/app/", "/app/restaurants/place-7", "/app/favorites", "/app/internets",
  ]

  private func service() throws -> SampleService {
    var settings = ServiceSettings.sample
    let office = try #require(Coordinate(latitude: 32.95, longitude: -96.82))
    settings.places = [NamedPlace(name: "Office", coordinate: office)]
    return try SampleService(settings: settings, favorites: favorites)
  }

  /// A request of a browser that has a session.
  private func browser(
    _ method: HTTPRequest.Method,
    _ target: String,
    _ form: String = "",
    in service: SampleService
  ) -> Reply {
    let opened = service.get("/app/?token=\(ServiceSettings.token)")
    var request = ServiceRequest(method, target, body: Array(form.utf8))
    request.fields[.accept] = "text/html"
    request.fields[.cookie] = opened.response.fields[.setCookie]
    request.fields[.fetchSite] = "same-origin"
    if method == .post { request.fields[.contentType] = "application/x-www-form-urlencoded" }
    return service.send(request)
  }

  private func names(_ page: String) -> [String] {
    page.matches(of: /<h2><bdi>([^<]*)<\/bdi><\/h2>/).map { String($0.1) }
  }

  private func address(of id: String, in page: String) -> String? {
    let link = page.firstMatch(
      of: /<a class="button" id="([a-z]+)" href="http:\/\/localhost([^"]*)"/
    )
    guard let link, link.1 == id else { return nil }
    return String(link.2).replacing("&amp;", with: "&")
  }

  @Test func `every page loads from the service only, and says so`() throws {
    let service = try service()
    for path in Self.pages + ["/app"] {
      let reply = service.get(path)
      #expect(reply.status == 200, "\(path)")
      #expect(reply.type == "text/html; charset=utf-8")
      let policy = try #require(reply.response.fields[.contentSecurityPolicy])
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
      #expect(!policy.contains("frame-src") && !policy.contains("unsafe"))
      #expect(reply.response.fields[.cacheControl] == "private, no-cache")
      for found in reply.text.matches(of: /(?:src|<link[^>]*href)="([^"]*)"/) {
        #expect(found.1.hasPrefix("http://localhost/"), "\(found.1)")
      }
      #expect(!reply.text.contains(" style=") && !reply.text.contains(" onclick"))
      let maps = reply.text.matches(of: /class="map[ "]/).count
      #expect(reply.text.matches(of: /<script/).count == 1 + maps)
    }
  }

  @Test func `assets never change under their names`() throws {
    let service = try service()
    let page = service.get("/app/").text
    for (file, type) in [("style.css", "text/css"), ("script.js", "text/javascript")] {
      let name = try #require(page.firstMatch(of: try Regex("/app/\(file)\\?v=[0-9a-f]+")))
      let reply = service.get(String(page[name.range]))
      #expect(reply.status == 200)
      #expect(reply.type?.hasPrefix(type) == true)
      #expect(reply.response.fields[.cacheControl]?.hasSuffix("immutable") == true)
      #expect(service.get("/app/\(file)?v=old").response.fields[.cacheControl] == "no-cache")
    }
    let script = String(decoding: PageAsset.script.bytes, as: UTF8.self)
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
      #expect(!script.contains(word))
    }
  }

  @Test(arguments: [
    "", "q=place%201", "category=Thai", "sortby=-rating", "sortby=category,-rating",
    "at=32.95,-96.82", "at=office",
  ])
  func `show more leads through the same restaurants as the API`(query: String) throws {
    // a place of the operator would be the start
    let service = query == "at=office" ? try service() : try SampleService()
    var found: [String] = []
    var next: String? = "/app/?\(query)"
    while let target = next {
      let reply = service.get(target)
      #expect(reply.status == 200 && !reply.text.contains("class=\"notice"))
      found += names(reply.text)
      next = address(of: "more", in: reply.text)
    }
    let asked =
      query.hasPrefix("at=")
      ? "/radius?lat=32.95&lon=-96.82&radius=20037508"
      : "/collections/restaurants/items?limit=10000&\(query)"
    let expected = service.get(asked).features.map {
      ($0["properties"] as? [String: Any])?["name"] as? String
    }
    #expect(!found.isEmpty && found == expected)
  }

  @Test func `chips count what the search finds, and go together`() throws {
    let service = try service()
    let page = service.get("/app/?q=place%201&category=Thai").text
    let facets =
      service.get("/facets?by=category&q=place%201").json["facets"] as? [[String: Any]] ?? []
    for facet in facets {
      guard let value = facet["value"] as? String, let count = facet["count"] as? Int else {
        continue
      }
      #expect(page.contains("<bdi>\(value)</bdi> <small>\(count)</small>"), "\(value)")
    }
    #expect(page.matches(of: /aria-current="true"/).count == 1)
    #expect(page.contains("q=place%201&amp;category=Thai&amp;category=Burgers"))
  }

  @Test(arguments: [
    ("rating=4", "filter=rating%20>=%204"), ("priceLevel=2", "filter=priceLevel%20<=%202"),
    ("open=12:00", "open=12:00"),
    (
      "rating=3&priceLevel=3&category=Thai",
      "filter=rating%20>=%203%20and%20priceLevel%20<=%203&category=Thai"
    ),
  ])
  func `filters – of the page – leave the restaurants that those of the API leave`(
    query: String,
    same: String
  ) throws {
    let service = try service()
    let page = service.get("/app/?\(query)").text
    let count = try #require(
      service.get("/collections/restaurants/items?limit=1&\(same)").json["numberMatched"] as? Int
    )
    #expect(page.contains("class=\"total\">\(count)</span>"))
    // each has a chip that removes it
    let links = page.matches(of: /class="chip" href="([^"]*)" aria-current="true"/).map(\.1)
    #expect(links.count == query.split(separator: "&").count)
    for link in links {
      let target = link.replacing("http://localhost", with: "").replacing("&amp;", with: "&")
      #expect(
        service.get(String(target)).text.matches(of: /aria-current="true"/).count == links.count - 1
      )
    }
  }

  @Test func `filters – wrong ones – are skipped with a sentence`() throws {
    let service = try service()
    for wrong in ["rating=high", "priceLevel=0", "open=noon", "within=nowhere"] {
      let page = service.get("/app/?\(wrong)").text
      #expect(page.contains("notice fault"), "\(wrong)")
      #expect(!page.contains("aria-current=\"true\""), "\(wrong)")
    }
  }

  @Test func `only orders that some restaurant has a value for are offered`() throws {
    let page = try service().get("/app/").text
    #expect(page.contains("value=\"-rating\"") && page.contains("value=\"-priceLevel\""))
    #expect(!page.contains("value=\"-reviewCount\""))
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    let place = Restaurant(id: "a", name: "A", coordinate: coordinate, source: "s")
    let bare = try SampleService([place]).get("/app/").text
    #expect(bare.contains("value=\"name\"") && !bare.contains("rating\""))
    #expect(bare.contains("1 of </span><span class=\"total\">1<"))
  }

  @Test(
    arguments: [
      ("at=95,0", "not on the Earth"), ("at=nowhere", "or one of: Office"),
      ("near=nobody", "not there any more"), ("cursor=x", "the list has changed"),
      ("sortby=x", "no such order"),
      ("q=zzzz", "Nothing on this plate"),
    ]
  )
  func `what an address has wrong is said, and the list is there`(
    query: String,
    words: String
  ) throws {
    let reply = try service().get("/app/?\(query)")
    #expect(reply.status == 200)
    #expect(words.isEmpty || reply.text.lowercased().contains(words.lowercased()), "\(query)")
    #expect(names(reply.text).isEmpty == (query == "q=zzzz"))
  }

  @Test(
    arguments: [
      ("/app/nothing", 404, "./"), ("/app/restaurants/nobody", 404, "../"),
      ("/app/a/b/c", 404, "../../"), ("/app?token=wrong", 401, "app/"),
      ("/app/?token=wrong", 401, "./"),
    ]
  )
  func `a page that is not there leads back to the list`(
    path: String,
    status: Int,
    home: String
  )
    throws
  {
    let reply = try service().get(path, [.accept: "text/html"])
    #expect(reply.status == status && reply.type == "text/html; charset=utf-8")
    #expect(reply.text.contains("<a class=\"button\" href=\"\(home)\">"))
    #expect(reply.text.contains("href=\"\(home)style.css\""))
    #expect(reply.response.fields[.contentSecurityPolicy]?.contains("style-src 'self'") == true)
    #expect(try service().get(path).text.contains("\"code\":"))
  }

  @Test func `a form sends back the text that it got, control characters too`() throws {
    let text = "a\u{202E}b\u{1}c\u{85}d\"<é"
    let query = "q=\(PercentCoding.encoded(text))&at=\(PercentCoding.encoded(text))"
    let value = text.replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
    for path in ["/app/", "/app/favorites", "/app/offers", "/app/meet", "/app/wants"] {
      let page = try service().get("\(path)?\(query)").text
      for field in ["q", "at"] {
        #expect(page.contains("name=\"\(field)\" value=\"\(value)\""), "\(path) \(field)")
      }
    }
  }

  @Test func `an empty database says what to do`() throws {
    let page = try SampleService([]).get("/app/")
    #expect(page.status == 200 && page.text.contains("geoq import"))
  }

  @Test func `a heart, the list and undo work as forms`() throws {
    let service = try service()
    let back = "/app/?q=place&sortby=name"
    let form = "id=place-7&change=add&back=\(PercentCoding.encoded(back))"
    let kept = browser(.post, "/app/favorites", form, in: service)
    #expect(kept.status == 303)
    #expect(
      kept.response.fields[.location] == "http://localhost/app/?q=place&sortby=name&added=place-7"
    )
    #expect(favorites.ids == ["place-7"])
    let told = browser(.get, "/app/?added=place-7", in: service).text
    #expect(told.contains("is a favorite now") && told.contains("<button>Undo</button>"))
    let list = browser(.get, "/app/favorites", in: service)
    #expect(names(list.text).count == 1 && list.text.contains("aria-pressed=\"true\""))
    #expect(list.response.fields[.cacheControl] == "private, no-cache")
    let undo = "id=place-7&change=remove&back=https://evil.example/"
    let gone = browser(.post, "/app/favorites", undo, in: service)
    #expect(gone.response.fields[.location] == "http://localhost/app/favorites?removed=place-7")
    #expect(favorites.ids.isEmpty)
    // an old link tells nothing that no longer holds
    #expect(!browser(.get, "/app/?added=place-7", in: service).text.contains("class=\"notice"))
    #expect(
      browser(.post, "/app/favorites", "id=nobody&change=add&back=/app/", in: service).status == 404
    )
  }

  @Test(
    arguments: [
      "", "id=place-7", "id=place-7&change=drop&back=x", "id=place-7&change=add&back=/&x=1",
      "id=place-7&id=place-7&change=add", "id=%zz&change=add&back=/app/", "{\"id\":1}",
    ]
  )
  func `a broken form changes nothing`(form: String) throws {
    let service = try service()
    #expect(browser(.post, "/app/favorites", form, in: service).status == 400)
    #expect(favorites.ids.isEmpty)
  }

  @Test func `without the token, or from a page of another origin, no form is taken`() throws {
    let service = try service()
    let opened = service.get("/app/?token=\(ServiceSettings.token)")
    let form = Array("id=place-7&change=add&back=/app/".utf8)
    for (cookie, site, status) in [
      (false, "same-origin", 401), (true, "cross-site", 403), (true, "none", 403),
    ] {
      var request = ServiceRequest(.post, "/app/favorites", body: form)
      request.fields[.contentType] = "application/x-www-form-urlencoded"
      request.fields[.accept] = "text/html"
      request.fields[.cookie] = cookie ? opened.response.fields[.setCookie] : nil
      request.fields[.fetchSite] = site
      let reply = service.send(request)
      #expect(reply.status == status)
      #expect(reply.text.contains("That did not work"))
    }
    #expect(favorites.ids.isEmpty)
  }

  @Test func `the token opens a session, as a form and in the address`() throws {
    let service = try service()
    let opened = browser(.post, "/app/session", "token=\(ServiceSettings.token)", in: service)
    #expect(opened.status == 303 && opened.response.fields[.setCookie] != nil)
    #expect(browser(.post, "/app/session", "token=wrong", in: service).status == 401)
    #expect(service.get("/app/?token=wrong").status == 401)
    let start = service.get("/app/?token=\(ServiceSettings.token)")
    #expect(start.response.fields[.location] == "http://localhost/app/")
  }

  @Test func `if favorites cannot be read, pages go without hearts and say so`() throws {
    struct LockedFavorites: FavoriteKeeping {
      private var error: StoreError {
        StoreError(.busy, path: "", "another session has locked a table")
      }

      func favorites(after id: String?, limit: Int) throws -> FavoritePage { throw error }
      func addFavorites(_ ids: [String]) throws -> [String] { throw error }
      func removeFavorites(_ ids: [String]) throws -> [String] { throw error }
    }
    let service = try SampleService(favorites: LockedFavorites())
    for path in [
      "/app/", "/app/map", "/app/restaurants/place-7", "/app/wants", "/app/offers",
      "/app/internets",
    ] {
      let page = browser(.get, path, in: service)
      #expect(page.status == 200, "\(path)")
      #expect(page.text.contains("Favorites are not available now"), "\(path)")
      #expect(
        !page.text.contains("class=\"heart\"") && page.text.contains("data-keeping=\"service\"")
      )
    }
    #expect(names(browser(.get, "/app/", in: service).text).count > 1)
    #expect(browser(.get, "/app/favorites", in: service).status == 503)
    #expect(service.send(.owners(.get, "/favorites")).status == 503)
    #expect(service.send(.owners(.get, "/nearest?lat=1&lon=2&mark=favorite")).status == 503)
    // who has no session keeps favorites in the browser
    #expect(service.get("/app/").text.contains("class=\"heart\""))
  }

  @Test func `a session ends after thirty days, or by a button`() throws {
    let service = try service()
    let opened =
      service.get("/app/?token=\(ServiceSettings.token)").response.fields[.setCookie] ?? ""
    #expect(opened.contains("; Max-Age=2592000"))
    let page = browser(.get, "/app/favorites", in: service).text
    let form = try #require(
      page.firstMatch(
        of: /<form[^>]*method="post" action="http:\/\/localhost([^"]*end)">[\s\S]*?<\/form>/
      )
    )
    #expect(form.0.contains("<button class=\"button\">Sign out</button>"))
    let ended = browser(.post, String(form.1), in: service)
    #expect(ended.status == 303)
    #expect(ended.response.fields[.location] == "http://localhost/app/favorites")
    let cookie = try #require(ended.response.fields[.setCookie])
    #expect(
      cookie.hasPrefix("geoq-0=;") && cookie.contains("; Max-Age=0") && cookie.contains("; Path=/")
    )
    #expect(!service.get("/app/favorites").text.contains("Sign out"))
  }

  @Test(arguments: [(false, "same-origin", 401), (true, "cross-site", 403), (true, nil, 403)])
  func `no other page signs a visitor out`(hasCookie: Bool, site: String?, status: Int) throws {
    let service = try service()
    let opened = service.get("/app/?token=\(ServiceSettings.token)")
    var request = ServiceRequest(.post, "/app/session/end")
    request.fields[.contentType] = "application/x-www-form-urlencoded"
    request.fields[.cookie] = hasCookie ? opened.response.fields[.setCookie] : nil
    request.fields[.fetchSite] = site
    let reply = service.send(request)
    #expect(reply.status == status && reply.response.fields[.setCookie] == nil)
  }

  @Test func `strangers see no favorites, and hearts that the script brings to life`() throws {
    let service = try service()
    _ = try favorites.addFavorites(["place-7"])
    for path in Self.pages {
      let page = service.get(path).text
      #expect(
        !page.contains("aria-pressed=\"true\"")
          && !page.contains("method=\"post\" action=\"http://localhost/app/favorites\"")
      )
    }
    let page = service.get("/app/favorites?ids=place-3,place-5,nobody").text
    #expect(names(page).count == 2)
    #expect(page.contains("kept on this device"))
    let none = try SampleService().get("/app/favorites").text
    #expect(!none.contains("name=\"token\""))
  }

  @Test(arguments: [
    "", "q=place%201", "category=Thai", "sortby=-rating&at=32.95,-96.82", "at=32.95,-96.82",
    "q=place&sortby=name&at=office",
  ])
  func `favorites are searched, sorted and measured as the list is`(query: String) throws {
    let service = try service()
    let some = SamplePlaces().places.map(\.id).enumerated().filter { $0.offset % 5 == 0 }
    _ = try favorites.addFavorites(some.map(\.element))
    let kept = Set(
      some.compactMap { place in SamplePlaces().places.first { $0.id == place.element }?.name }
    )
    func whole(_ path: String) -> (names: [String], distances: [String]) {
      var names: [String] = []
      var distances: [String] = []
      var next: String? = "\(path)?\(query)"
      while let target = next {
        let page = browser(.get, target, in: service).text
        #expect(!page.contains("class=\"notice"))
        names += self.names(page)
        distances += page.matches(of: /<strong>([^<]*)<\/strong>/).map { String($0.1) }
        next = address(of: "more", in: page)
      }
      return (names, distances)
    }
    let list = whole("/app/")
    let found = whole("/app/favorites")
    let expected = list.names.indices.filter { kept.contains(list.names[$0]) }
    #expect(!found.names.isEmpty && found.names == expected.map { list.names[$0] })
    if query.contains("at=") { #expect(found.distances == expected.map { list.distances[$0] }) }
    // the same by a browser that keeps them itself
    let ids = some.map(\.element).joined(separator: ",")
    let own = service.get("/app/favorites?\(query)&ids=\(ids)").text
    #expect(names(own) == found.names)
    #expect(!own.contains("ids="))
  }

  @Test func `a favorite that has left its feed is shown, leads nowhere and can be removed`() throws
  {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    let gone = Restaurant(id: "gone", name: "Gone, then", coordinate: coordinate, source: "s")
    let keeping = MemoryFavorites(gone: [gone])
    let service = try SampleService(favorites: keeping)
    let page = browser(.get, "/app/favorites?q=gone", in: service).text
    #expect(names(page) == ["Gone, then"] && page.contains("left its feed"))
    #expect(!page.contains("restaurants/gone"))
    #expect(page.contains("value=\"remove\"") && page.contains("aria-pressed=\"true\" data-gone"))
    let back = "id=gone&change=remove&back=/app/favorites"
    let removed = browser(.post, "/app/favorites", back, in: service)
    #expect(removed.status == 303 && keeping.ids.isEmpty)
    let told = browser(.get, "/app/favorites?removed=gone", in: service).text
    #expect(told.contains("cannot be added again") && !told.contains("<button>Undo</button>"))
  }

  @Test func `favorites on the device say which are not in the data any more`() throws {
    let service = try service()
    let page = service.get("/app/favorites?ids=place-3,gone%252C1,nobody").text
    #expect(names(page).count == 1 && page.contains("2 not in the data any more"))
    #expect(service.get("/app/favorites?ids=nobody").text.contains("1 kept here"))
  }

  @Test func `an owner's pages are made where others are, after one look at the favorites`() throws
  {
    let service = try service().service
    for (target, isRead) in [
      ("/app/", false), ("/app/restaurants/place-7", false), ("/app/favorites", true),
    ] {
      guard case .work(.favoriteReads, let read) = service.begin(.owners(.get, target)),
        case .work(let place, _) = read()
      else {
        Issue.record("\(target) does not read the favorites first")
        continue
      }
      switch place {
      case .favoriteReads: #expect(isRead, "\(target)")
      case .queries: #expect(!isRead, "\(target)")
      default: Issue.record("\(target) is made at \(place)")
      }
    }
  }

  @Test func `a page says which generation it is from, and what tells of the next`() throws {
    let page = try service().get("/app/").text
    #expect(page.contains("data-generation=\"1\""))
    #expect(page.contains("data-health=\"http://localhost/healthz\""))
  }

  @Test func `the script is small enough to read in ten minutes`() {
    #expect(PageAsset.script.bytes.count < 23_000)
    #expect(PageAsset.script.bytes.filter { $0 == UInt8(ascii: "\n") }.count < 580)
  }

  @Test func `the detail has the five nearest others, and what is not there is 404 for people`()
    throws
  {
    let service = try service()
    let page = service.get("/app/restaurants/place-7").text
    let nearest = SamplePlaces()
    let own = try #require(nearest.places.first { $0.id == "place-7" })
    let others = nearest.nearest(to: own.coordinate, count: 6).filter { $0 != "place-7" }.prefix(5)
    let section = try #require(page.firstMatch(of: /data-section="nearby"[\s\S]*?<\/details>/))
    let found = section.0.matches(of: /restaurants\/(place-[0-9]+)/).map { String($0.1) }
    #expect(found == Array(others))
    let missing = service.get("/app/restaurants/nobody", [.accept: "text/html"])
    #expect(missing.status == 404 && missing.text.contains("That did not work"))
    #expect(service.get("/app/restaurants/nobody").text.contains("\"code\":\"NotFound\""))
  }
}

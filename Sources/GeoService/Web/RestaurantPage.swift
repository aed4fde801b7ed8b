import GeoIndex
import GeoQuery

extension Endpoint {
  static let restaurantPage = page("restaurantPage", "/app/restaurants/{id}", [.restaurantID]) {
    $0.restaurantPage()
  }
}

extension RequestContext {
  fileprivate func restaurantPage() -> Work {
    let id = path("id")
    return Work(on: .queries) { _ in
      guard let restaurant = try snapshot.restaurant(id: id) else {
        throw Problem.noRestaurant(id)
      }
      let nearest = try generation.engine.nearest(to: restaurant.coordinate, count: 6)
      let context = try PageContext(self, view)
      let page = RestaurantPage(
        context: context,
        restaurant: restaurant,
        others: Array(nearest.filter { !$0.restaurant.id.isUTF8Equal(to: id) }.prefix(5)),
        offers: generation.book.offers.isEmpty
          ? []
          : try generation.offerPlaces().offers(ofRestaurant: id).filter {
            !$0.isExpired(on: context.day)
          }
      )
      return Work.Body(bytes: page.bytes, hits: 1)
    }
  }
}

/// The page with everything that is known of one restaurant.
struct RestaurantPage: Sendable {
  let context: PageContext
  let restaurant: Restaurant

  /// The nearest other restaurants.
  let others: [Match]

  let offers: [Offer]

  var bytes: [UInt8] {
    let main: HTML = """
      <p class="back"><a href="\(context.link(to: .lunch))">‹ All restaurants</a></p>
      <article class="detail" id="detail" data-live>
      \(map)
      \(Pictures.head(of: restaurant, context))
      <p class="facts line">\(facts)</p>
      \(actions)
      \(sections)
      </article>
      """
    return PageLayout.bytes(title: restaurant.name, context, main)
  }

  /// The restaurant on a map with its neighbors, which show where it is even without streets.
  private var map: HTML {
    let pairs = [
      (name: "lat", value: "\(restaurant.coordinate.latitude)"),
      (name: "lon", value: "\(restaurant.coordinate.longitude)"), (name: "count", value: "12"),
    ]
    return MapFrame(
      source: .features([context.address(.nearest, pairs)]),
      label: "Map of \(restaurant.name) and what is near",
      from: context.place,
      chosen: restaurant.id,
      isSmall: true
    )
    .html(context)
  }

  /// The line under the head; if there are pictures, rating and price are over them.
  private var facts: HTML {
    let isPictured = !context.imageAddresses(of: restaurant).isEmpty
    return RestaurantCard.facts(Match(restaurant: restaurant), context, rates: !isPictured)
  }

  // MARK: what one can do

  private var actions: HTML {
    let latitude = "\(restaurant.coordinate.latitude)"
    let longitude = "\(restaurant.coordinate.longitude)"
    let point = "\(latitude),\(longitude)"
    var near = PageState(.lunch)
    near.units = context.view.units
    near.plan = context.view.plan
    near.near = restaurant.id
    let from = context.place.map { "\($0.coordinate.latitude),\($0.coordinate.longitude)" } ?? ""
    let web = "https://www.openstreetmap.org/"
    let way = "\(web)directions?route=\(from);\(point)"
    let map = "\(web)?mlat=\(latitude)&mlon=\(longitude)#map=18/\(latitude)/\(longitude)"
    let call = Self.number(restaurant.contact.phone).map { number -> HTML in
      "<a class=\"button\" href=\"tel:\(number)\">Call</a>"
    }
    // phones have a program for it, other machines a site
    let directions: HTML = """
      <a class="button primary touch" href="geo:\(point)?q=\(point)">Directions</a>\
      <a class="button primary desk" href="\(way)" \(HTML.outside)>Directions</a>
      """
    let all: [HTML] = [
      directions, call, ShortListPage.button(restaurant, context),
      "<a class=\"button\" href=\"\(context.address(near))\">What is near</a>",
      MeetPage.button(restaurant, context),
      "<a class=\"button\" href=\"\(map)\" \(HTML.outside)>Street map</a>", PageLayout.share,
    ].compactMap(\.self)
    return """
      <div class="actions">\(Array(all.prefix(3)))<details class="menu"><summary class="button">More</summary>\
      <div>\(Array(all.dropFirst(3)))</div></details></div>
      """
  }

  /// The number for a call link; nil if the text is not a phone number.
  static func number(_ phone: String?) -> String? {
    guard let phone, phone.utf8.count <= 40 else { return nil }
    let digits = phone.utf8.filter(\.isDigit)
    guard digits.count >= 3 else { return nil }
    let plus = phone.utf8.first == UInt8(ascii: "+") ? "+" : ""
    return plus + String(decoding: digits, as: UTF8.self)
  }

  /// The phone number as the feed writes it for people, unless a correction has made it another one.
  private var phone: String? {
    let contact = restaurant.contact
    guard let written = contact.formattedPhone, let number = contact.phone else {
      return contact.formattedPhone ?? contact.phone
    }
    let digits = [written, number].map { $0.utf8.prefix(40).filter(\.isDigit) }
    // either may have the code of its country
    let isSame = digits[0].reversed().starts(with: digits[1].suffix(digits[0].count).reversed())
    return isSame ? written : number
  }

  // MARK: sections

  private var sections: HTML {
    let texts = [
      ("description", "Description", restaurant.description), ("hours", "Hours", restaurant.hours),
    ].map { name, title, text in
      text.map { section(name, title, "", "<p>\(HTML.text($0))</p>") } ?? ""
    }
    let others = [addressSection, contactSection, offersSection, nearbySection]
    return "\(texts + others + [dataSection, wrongSection])"
  }

  private func section(
    _ name: String,
    _ title: String,
    _ value: HTML,
    isOpen: Bool = true,
    _ body: HTML
  ) -> HTML {
    let open: HTML = isOpen ? " open" : ""
    return """
      <details data-section="\(name)"\(open)><summary><h2>\(title)</h2> <span>\(value)</span></summary>
      <div>\(body)</div></details>

      """
  }

  private var addressSection: HTML {
    let address = restaurant.address
    var lines =
      address.formatted.isEmpty ? RestaurantCard.addressLines(of: restaurant) : address.formatted
    if let cross = address.crossStreet, address.formatted.isEmpty { lines.append("at \(cross)") }
    let html = lines.map { line -> HTML in "\(HTML.text(line))<br>" }
    let point = "\(restaurant.coordinate.latitude), \(restaurant.coordinate.longitude)"
    return section(
      "address",
      "Address",
      "\(address.city.map(HTML.text))",
      "<address>\(html)</address><p class=\"quiet\">\(point)</p>"
    )
  }

  private var contactSection: HTML {
    let contact = restaurant.contact
    var rows: [(String, HTML)] = []
    if let phone {
      let number = Self.number(contact.phone)
      let shown = HTML.text(phone)
      rows.append(("Phone", number.map { "<a href=\"tel:\($0)\">\(shown)</a>" } ?? shown))
    }
    if let website = restaurant.website { rows.append(("Website", Self.link(website))) }
    if let name = contact.twitter {
      rows.append(("Twitter", Self.account(name, at: "https://twitter.com/", shown: "@\(name)")))
    }
    if let name = contact.facebookUsername ?? contact.facebook {
      let shown = contact.facebookName ?? name
      rows.append(("Facebook", Self.account(name, at: "https://www.facebook.com/", shown: shown)))
    }
    if rows.isEmpty { return "" }
    return section("contact", "Contact", "\(rows.count)", Self.table(rows))
  }

  private var nearbySection: HTML {
    if others.isEmpty { return "" }
    let items = others.map { other -> HTML in
      let category = other.restaurant.category.map { category -> HTML in " · \(HTML.text(category))"
      }
      return """
        <li>\(PageLayout.link(to: other.restaurant.id, other.restaurant.name, context)) \
        <strong>\(context.units.text(of: other.distance ?? 0))</strong>\(category)</li>
        """
    }
    return section("nearby", "Nearby", "\(others.count)", "<ul class=\"rows\">\(items)</ul>")
  }

  private var offersSection: HTML {
    if offers.isEmpty { return "" }
    let items = offers.prefix(Self.maximumOffers).map { OfferListPage.row($0, context) }
    let more: HTML =
      offers.count > items.count ? "<p class=\"quiet\">\(offers.count - items.count) more</p>" : ""
    let list: HTML = "<ul class=\"offers\">\(items)</ul>\(more)"
    return section("offers", "Offers here", "\(offers.count)", list)
  }

  /// The maximum number of offers listed.
  private static let maximumOffers = 50

  private var dataSection: HTML {
    var rows: [(String, HTML)] = [
      ("From", .text(restaurant.source)), ("Id", .text(restaurant.id)),
    ]
    if let date = context.credits.dates[UTF8Key(restaurant.source)] {
      rows.append(("As of", "\(date.day)"))
    }
    if let id = restaurant.sourceID { rows.append(("Id in its feed", .text(id))) }
    if let image = restaurant.imageURL { rows.append(("Picture", Self.link(image))) }
    for member in restaurant.extra {
      let value =
        if case .string(let text) = member.value { Self.link(text) } else {
          HTML.text(member.value.description)
        }
      rows.append((member.name, value))
    }
    let address = context.address(.item, id: restaurant.id)
    let link: HTML = "<p><a href=\"\(address)?f=json\">This record as GeoJSON</a></p>"
    let table = Self.table(rows)
    return section(
      "data",
      "Where this is from",
      .text(restaurant.source),
      isOpen: false,
      "\(table)\(link)"
    )
  }

  /// The commands that correct what people find wrong most often, to be copied and completed.
  private var wrongSection: HTML {
    let values = [
      ("phone", phone), ("hours", restaurant.hours),
      ("address", restaurant.address.street), ("website", restaurant.website), ("closed", "true"),
    ]
    let lines = values.map { key, value -> String in
      "geoq edit \(Self.quoted(restaurant.id)) \(Self.quoted("\(key)=\(value ?? "")"))"
    }
    let body: HTML = """
      <p>Put the right value into one of these lines, and give it to the operator of this service. It stays when the data \
      is updated.</p><pre id="correction">\(HTML.text(lines.joined(separator: "\n")))</pre>\
      <p><button type="button" class="button" data-copy="correction" hidden>Copy</button></p>
      """
    return section("wrong", "Something wrong here?", "", isOpen: false, body)
  }

  /// A word for a shell.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0.isAlphanumeric || "-_.:=".utf8.contains($0) }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  private static func table(_ rows: [(name: String, value: HTML)]) -> HTML {
    let rows = rows.map { row -> HTML in "<dt>\(HTML.text(row.name))</dt><dd>\(row.value)</dd>" }
    return "<dl>\(rows)</dl>"
  }

  private static func link(_ text: String) -> HTML { .webLink(text, HTML.outside) }

  /// An account, as a link if its name is safe in an address.
  private static func account(_ name: String, at base: String, shown: String) -> HTML {
    let isName =
      (1...80).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isAlphanumeric || "._-".utf8.contains($0) }
    return isName
      ? "<a href=\"\(base + name)\" \(HTML.outside)>\(HTML.text(shown))</a>" : .text(shown)
  }
}

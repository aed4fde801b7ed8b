import GeoQuery

/// A resource for a person's browser: all that its JSON says, and every link as `<a>` (/req/html).
///
/// Plain HTML without scripts and styles. Every text goes through `HTMLText`, whoever wrote it. The
/// service's own links are known by their place, for a feed may call a member `links` too.
struct HTMLPage {
  private let links: LinkBase
  private var html = ""

  private init(_ links: LinkBase) {
    self.links = links
  }

  /// The page of a JSON answer; a restaurant's has its name as the title.
  static func bytes(of json: [UInt8], title: String, _ links: LinkBase) -> [UInt8] {
    var page = HTMLPage(links)
    guard let value = try? JSONValue(parsing: json) else {
      // nested deeper than the reader goes: as it is, but never unescaped
      let text = HTMLText.isolated(String(decoding: json, as: UTF8.self))
      return bytes(title: title, body: "<pre>\(text)</pre>", links)
    }
    page.write(root: value)
    return bytes(title: value.restaurantName ?? title, body: page.html, links)
  }

  /// What a page may load, said in the page too: one that was saved comes without header fields.
  private static let policy =
    "default-src 'none'; img-src 'self'; base-uri 'none'; form-action 'none'"

  /// A whole document.
  ///
  /// - Parameters:
  ///   - title: Plain text.
  ///   - body: HTML.
  ///   - links: Where the service is.
  /// - Returns: The document as UTF-8.
  static func bytes(title: String, body: String, _ links: LinkBase) -> [UInt8] {
    let places = [Route.lunch, .landing, .collections, .items, .apiPage].map { route in
      let query = route == .apiPage || route == .lunch ? [] : [("f", "html")]
      return "<a href=\"\(escaped(links.address(route.path, query)))\">\(route.title)</a>"
    }
    return Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8">\
      <meta http-equiv="Content-Security-Policy" content="\(policy)">\
      <meta name="viewport" content="width=device-width">\
      <title>\(escaped(title))</title></head>
      <body>
      <nav>\(places.joined(separator: " · "))</nav>
      <h1>\(HTMLText.isolated(title))</h1>
      \(body)
      </body>
      </html>

      """.utf8
    )
  }

  /// A text as it may stand in HTML, between tags and in quoted attributes.
  static func escaped(_ text: String) -> String { HTMLText.escaped(text) }

  /// Writes an answer: its `links`, `collections` and `features` are the service's.
  private mutating func write(root: JSONValue) {
    guard case .object(let members) = root else { return write(root) }
    writeMembers(members) { page, member in
      guard case .array(let values) = member.value else { return page.write(member.value) }
      if member.name.hasBytes(of: "links") {
        page.writeLinks(values)
      } else if member.name.hasBytes(of: "collections") {
        page.writeList(values) { $0.write(collection: $1) }
      } else if member.name.hasBytes(of: "features") {
        page.writeFeatures(values)
      } else if member.name.hasBytes(of: "offers") {
        page.writeOffers(values)
      } else {
        page.write(member.value)
      }
    }
  }

  private mutating func write(collection: JSONValue) {
    guard case .object(let members) = collection else { return write(collection) }
    writeMembers(members) { page, member in
      guard member.name.hasBytes(of: "links"), case .array(let links) = member.value else {
        return page.write(member.value)
      }
      page.writeLinks(links)
    }
  }

  private mutating func writeLinks(_ links: [JSONValue]) {
    writeList(links) { $0.writeLink($1) }
  }

  private mutating func writeLink(_ link: JSONValue) {
    guard case .string(let address)? = link[name: "href"], HTMLText.isWebAddress(address),
      case .string(let relation)? = link[name: "rel"]
    else { return write(link) }
    var words = [relation]
    for name in ["type", "title"] {
      if case .string(let text)? = link[name: name] { words.append(text) }
    }
    html += "<a href=\"\(Self.escaped(address))\" rel=\"\(Self.escaped(relation))\">"
    html += "\(Self.escaped(words.joined(separator: " · ")))</a>"
  }

  private mutating func writeFeatures(_ features: [JSONValue]) {
    html += "<ol>"
    for feature in features {
      html += "<li>"
      writeHeading(feature)
      write(feature)
      html += "</li>\n"
    }
    html += "</ol>"
  }

  private mutating func writeOffers(_ offers: [JSONValue]) {
    html += "<ol>"
    for offer in offers {
      html += "<li>"
      if case .string(let name)? = offer[name: "name"], case .string(let id)? = offer[name: "id"] {
        let path = Route.offers.path + "/" + PercentCoding.encoded(id)
        let address = Self.escaped(links.address(path, [("f", "html")]))
        html += "<h2><a href=\"\(address)\">\(HTMLText.isolated(name))</a></h2>"
      }
      write(offer)
      html += "</li>\n"
    }
    html += "</ol>"
  }

  /// The name of a restaurant in a list, as a link to its own page.
  private mutating func writeHeading(_ feature: JSONValue) {
    guard let name = feature.restaurantName, case .string(let id)? = feature[name: "id"] else {
      return
    }
    let path = Route.items.path + "/" + PercentCoding.encoded(id)
    let address = Self.escaped(links.address(path, [("f", "html")]))
    html += "<h2><a href=\"\(address)\">\(HTMLText.isolated(name))</a></h2>"
  }

  private mutating func write(_ value: JSONValue) {
    switch value {
    case .object(let members): writeMembers(members) { $0.write($1.value) }
    case .array(let values):
      if values.allSatisfy(\.isNumber) {
        html += values.map { Self.escaped($0.description) }.joined(separator: ", ")
      } else {
        writeList(values) { $0.write($1) }
      }
    case .string(let text): writeText(text)
    default: html += Self.escaped(value.description)
    }
  }

  private mutating func writeMembers(
    _ members: [JSONMember],
    _ write: (inout HTMLPage, JSONMember) -> Void
  ) {
    html += "<dl>"
    for member in members {
      html += "<dt>\(HTMLText.isolated(member.name))</dt><dd>"
      write(&self, member)
      html += "</dd>\n"
    }
    html += "</dl>"
  }

  private mutating func writeList(
    _ values: [JSONValue],
    _ write: (inout HTMLPage, JSONValue) -> Void
  ) {
    html += "<ul>"
    for value in values {
      html += "<li>"
      write(&self, value)
      html += "</li>\n"
    }
    html += "</ul>"
  }

  /// Only web addresses become links: a feed can write `javascript:` as well.
  private mutating func writeText(_ text: String) {
    let shown = HTMLText.isolated(text)
    guard HTMLText.isWebAddress(text) else {
      html += shown
      return
    }
    html += "<a href=\"\(Self.escaped(text))\" rel=\"noopener nofollow\">\(shown)</a>"
  }
}

extension Route {
  /// What its page is called.
  var title: String {
    switch self {
    case .lunch: "Lunch"
    case .landing: "geoq"
    case .conformance: "Conformance"
    case .collections: "Collections"
    case .collection, .items: "Restaurants"
    case .schema: "Schema"
    case .api, .apiPage: "API"
    case .offers, .offer: "Offers"
    default: path
    }
  }
}

extension JSONValue {
  /// The name of a GeoJSON feature.
  fileprivate var restaurantName: String? {
    guard case .string(let name)? = self[name: "properties"]?[name: "name"] else { return nil }
    return name
  }

  fileprivate var isNumber: Bool {
    if case .number = self { true } else { false }
  }
}

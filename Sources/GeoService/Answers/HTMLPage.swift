import GeoQuery

/// A resource for a person's browser: all that its JSON says, and every link as `<a>` (/req/html).
///
/// Plain HTML without scripts and styles. Every text goes through `escaped`, whoever wrote it.
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
      let text = escaped(String(decoding: json, as: UTF8.self))
      return bytes(title: title, body: "<pre>\(text)</pre>", links)
    }
    page.write(value)
    return bytes(title: value.restaurantName ?? title, body: page.html, links)
  }

  /// A whole document.
  ///
  /// - Parameters:
  ///   - title: Plain text.
  ///   - body: HTML.
  ///   - links: Where the service is.
  /// - Returns: The document as UTF-8.
  static func bytes(title: String, body: String, _ links: LinkBase) -> [UInt8] {
    let title = escaped(title)
    let places = [Route.landing, .collections, .items, .apiPage].map { route in
      let query = route == .apiPage ? [] : [("f", "html")]
      return "<a href=\"\(escaped(links.address(route.path, query)))\">\(route.title)</a>"
    }
    return Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
      <title>\(title)</title></head>
      <body>
      <nav>\(places.joined(separator: " · "))</nav>
      <h1>\(title)</h1>
      \(body)
      </body>
      </html>

      """.utf8
    )
  }

  /// A text as it may stand in HTML, between tags and in quoted attributes.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\0": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private mutating func write(_ value: JSONValue, name: String = "") {
    switch value {
    case .object(let members):
      html += "<dl>"
      for member in members {
        html += "<dt>\(Self.escaped(member.name))</dt><dd>"
        write(member.value, name: member.name)
        html += "</dd>\n"
      }
      html += "</dl>"
    case .array(let values):
      if values.allSatisfy(\.isNumber) {
        html += values.map { Self.escaped($0.description) }.joined(separator: ", ")
        return
      }
      html += name == "features" ? "<ol>" : "<ul>"
      for value in values {
        html += "<li>"
        if name == "features" { writeHeading(value) }
        if name == "links" { writeLink(value) } else { write(value) }
        html += "</li>\n"
      }
      html += name == "features" ? "</ol>" : "</ul>"
    case .string(let text): writeText(text)
    default: html += Self.escaped(value.description)
    }
  }

  /// The name of a restaurant in a list, as a link to its own page.
  private mutating func writeHeading(_ feature: JSONValue) {
    guard let name = feature.restaurantName, case .string(let id)? = feature[name: "id"] else {
      return
    }
    let path = Route.items.path + "/" + PercentCoding.encoded(id)
    let address = Self.escaped(links.address(path, [("f", "html")]))
    html += "<h2><a href=\"\(address)\">\(Self.escaped(name))</a></h2>"
  }

  /// Only web addresses become links: a feed can write `javascript:` as well.
  private mutating func writeText(_ text: String) {
    let lower = text.lowercased()
    guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else {
      html += Self.escaped(text)
      return
    }
    html += "<a href=\"\(Self.escaped(text))\" rel=\"noopener nofollow\">\(Self.escaped(text))</a>"
  }

  private mutating func writeLink(_ link: JSONValue) {
    guard case .string(let address)? = link[name: "href"],
      case .string(let relation)? = link[name: "rel"]
    else { return write(link) }
    var words = [relation]
    for name in ["type", "title"] {
      if case .string(let text)? = link[name: name] { words.append(text) }
    }
    html += "<a href=\"\(Self.escaped(address))\" rel=\"\(Self.escaped(relation))\">"
    html += "\(Self.escaped(words.joined(separator: " · ")))</a>"
  }
}

extension Route {
  /// What its page is called.
  var title: String {
    switch self {
    case .landing: "geoq"
    case .conformance: "Conformance"
    case .collections: "Collections"
    case .collection, .items: "Restaurants"
    case .api, .apiPage: "API"
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

import GeoIndex
import GeoQuery

/// A resource for a person's browser: everything in its JSON, with every link as `<a>` (/req/html).
///
/// Tables without scripts, in the style of the lunch page. The service's own links are recognized by where they are in the JSON, because a feed
/// may have a member named `links` too.
struct HTMLPage {
  let links: LinkBase
  var html: HTML = ""

  /// The depth of nested tables; deeper values are lists of names and values.
  var depth = 0

  private init(_ links: LinkBase) {
    self.links = links
  }

  /// The page of a JSON answer; a restaurant's page has its name as the title.
  static func bytes(
    of json: [UInt8],
    title: String,
    _ links: LinkBase,
    _ credits: Credits
  ) -> [UInt8] {
    var page = HTMLPage(links)
    guard let value = try? JSONValue(parsing: json) else {
      // nested more deeply than the reader allows: shown as text, still escaped
      let text = HTML.text(String(decoding: json, as: UTF8.self))
      return bytes(title: title, "<pre>\(text)</pre>", links, credits)
    }
    page.write(root: value)
    return bytes(title: value.restaurantName ?? title, page.html, links, credits)
  }

  /// What a page may load, repeated in the page because a saved page has no header fields.
  private static let policy: HTML = """
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
    """

  /// A whole document.
  ///
  /// - Parameters:
  ///   - title: Plain text.
  ///   - body: What comes after the title.
  ///   - links: The addresses of the service.
  ///   - credits: The credits of the data that it shows.
  /// - Returns: The document as UTF-8.
  static func bytes(
    title: String,
    _ body: HTML,
    _ links: LinkBase,
    _ credits: Credits = .none
  ) -> [UInt8] {
    let linked = [Endpoint.lunch, .landing, .collections, .items, .apiPage]
    let places = linked.map { endpoint -> HTML in
      let query = endpoint == .apiPage || endpoint == .lunch ? [] : [("f", "html")]
      return "<a href=\"\(links.address(endpoint.path, query))\">\(endpoint.title)</a>\n"
    }
    let content: HTML = """
      <header class="top"><nav aria-label="Pages">\(places)</nav></header>
      <main>
      <h1>\(HTML.text(title))</h1>
      \(body)\(HTML.credit(credits))
      </main>
      """
    return HTML.document(
      title: title,
      policy: policy,
      style: links.address(Endpoint.pageStyle.path, [("v", PageAsset.style.tag)]),
      attributes: " class=\"document\"",
      content
    )
  }

  /// Writes an answer: its `links`, `collections`, `features` and `offers` are the service's own.
  private mutating func write(root: JSONValue) {
    guard case .object(let members) = root else { return write(root) }
    writeLunchLink(to: root)
    let lists = members.filter { Self.list(of: $0) != nil }
    let links = members.filter { Self.isLinks($0) }
    let others = members.filter { Self.list(of: $0) == nil && !Self.isLinks($0) }
    // a list starts with the restaurants; a plan, with what describes it
    let isPlain = writeCount(of: root)
    if !isPlain, !others.isEmpty { writeMembers(others) }
    for member in lists {
      html += "<section aria-label=\"\(member.name)\">"
      switch (Self.list(of: member), member.value) {
      case (.collections?, .array(let values)): for value in values { write(collection: value) }
      case (.features?, .array(let values)): writeFeatures(values)
      case (.offers?, .array(let values)): writeOffers(values)
      default: break
      }
      html += "</section>\n"
    }
    for member in links { writeSteps(member.value) }
    for member in links { writeLinks(member.value) }
    if isPlain {
      html += "<details><summary>About this answer</summary>"
      writeMembers(others)
      html += "</details>\n"
    }
  }

  /// Writes the number of results; false if the answer is not a page of a list.
  private mutating func writeCount(of root: JSONValue) -> Bool {
    guard case .number? = root[name: "numberMatched"], let all = root[name: "numberMatched"],
      let count = root[name: "numberReturned"]
    else { return false }
    html += "<p class=\"count\">"
    html += "\(count.description) of \(all.description)</p>\n"
    return true
  }

  /// The lists of an answer whose entries have pages of their own.
  private enum List: String {
    case collections
    case features
    case offers
  }

  private static func list(of member: JSONMember) -> List? {
    guard case .array = member.value else { return nil }
    return List(rawValue: member.name)
  }

  private static func isLinks(_ member: JSONMember) -> Bool {
    guard case .array = member.value else { return false }
    return member.name.isUTF8Equal(to: "links")
  }

  private mutating func write(collection: JSONValue) {
    guard case .object(let members) = collection else { return write(collection) }
    html += "<article>"
    writeMembers(members.filter { !Self.isLinks($0) })
    for member in members where Self.isLinks(member) { writeLinks(member.value) }
    html += "</article>\n"
  }

  // MARK: values

  mutating func write(_ value: JSONValue) {
    switch value {
    case .object(let members): writeMembers(members)
    case .array(let values):
      if values.allSatisfy(\.isNumber) {
        html += "\(values.map(\.description).joined(separator: ", "))"
      } else {
        html += "<ul>"
        for value in values {
          html += "<li>"
          write(value)
          html += "</li>\n"
        }
        html += "</ul>"
      }
    case .string(let text): writeText(text)
    default: html += "\(value.description)"
    }
  }

  /// Writes members as a table of names and values.
  mutating func writeMembers(_ members: [JSONMember]) {
    // deeply nested tables would have no room
    let isTable = depth < 3
    depth += 1
    html += isTable ? "<table class=\"members\">" : "<dl>"
    for member in members {
      let name = HTML.text(member.name)
      html += isTable ? "<tr><th scope=\"row\">\(name)</th><td>" : "<dt>\(name)</dt><dd>"
      write(member.value)
      html += isTable ? "</td></tr>\n" : "</dd>\n"
    }
    html += isTable ? "</table>" : "</dl>"
    depth -= 1
  }

  /// Writes a text; only web addresses become links, because a feed can contain `javascript:` too.
  private mutating func writeText(_ text: String) {
    let shown = HTML.text(text)
    guard HTMLText.isWebAddress(text) else {
      html += shown
      return
    }
    html += "<a href=\"\(text)\" rel=\"noopener nofollow\">\(shown)</a>"
  }
}

extension JSONValue {
  /// The name of a GeoJSON feature.
  var restaurantName: String? {
    guard case .string(let name)? = self[name: "properties"]?[name: "name"] else { return nil }
    return name
  }

  fileprivate var isNumber: Bool {
    if case .number = self { true } else { false }
  }
}

/// Lists of restaurants, offers and links, as tables.
extension HTMLPage {
  // MARK: links

  /// Writes links as a table: title, relation and format.
  mutating func writeLinks(_ value: JSONValue) {
    guard case .array(let links) = value, !links.isEmpty else { return }
    html += "<details class=\"links\" open><summary>Links</summary><table class=\"list\">"
    html += "<thead><tr><th>page</th><th>link</th><th>format</th></tr></thead><tbody>"
    for link in links { writeLink(link) }
    html += "</tbody></table></details>\n"
  }

  private mutating func writeLink(_ link: JSONValue) {
    html += "<tr><td>"
    guard case .string(let address)? = link[name: "href"], HTMLText.isWebAddress(address),
      case .string(let relation)? = link[name: "rel"]
    else {
      write(link)
      html += "</td><td></td><td></td></tr>\n"
      return
    }
    let type = Self.text(link[name: "type"])
    let title = Self.text(link[name: "title"])
    html += "<a href=\"\(address)\" rel=\"\(relation)\">"
    html += "\(title.isEmpty ? Self.title(of: relation) : title)"
    html += "</a></td><td>\(relation)</td><td>\(type)</td></tr>\n"
  }

  private static func title(of relation: String) -> String {
    switch relation {
    case "self": "This page"
    case "alternate": "The same in another format"
    case "collection": "The collection"
    case "items": "The restaurants"
    default: relation
    }
  }

  /// Writes the links to the previous and the next page.
  mutating func writeSteps(_ value: JSONValue) {
    guard case .array(let links) = value else { return }
    var steps: HTML = ""
    for (relation, title) in [("prev", "‹ Previous page"), ("next", "Next page ›")] {
      let link = links.first { Self.text($0[name: "rel"]).isUTF8Equal(to: relation) }
      let address = Self.text(link?[name: "href"])
      guard HTMLText.isWebAddress(address) else { continue }
      steps += "<a class=\"button\" href=\"\(address)\">\(title)</a> "
    }
    if !steps.source.isEmpty { html += "<p class=\"steps\">\(steps)</p>\n" }
  }

  // MARK: restaurants

  /// The columns of a list, by the keys of the record.
  private static let columns = ["category", "city", "rating", "priceLevel"]

  /// Writes restaurants as a map and a table; each row opens to show everything that is known.
  mutating func writeFeatures(_ features: [JSONValue]) {
    let map = PointMap(features.map(Self.coordinate))
    html += "\(map?.html)"
    let hasDistance = features.contains { $0[name: "properties"]?[name: "distance"] != nil }
    let columns = (hasDistance ? ["distance"] : []) + Self.columns
    let isNumbered = map?.isNumbered == true
    html += "<table class=\"list\(isNumbered ? " numbered" : "")\"><thead><tr><th>name</th>"
    for column in columns { html += "<th>\(column)</th>" }
    html += "</tr></thead>\n"
    for (index, feature) in features.enumerated() {
      html += isNumbered ? "<tbody id=\"\(PointMap.anchor(index + 1))\">" : "<tbody>"
      html += "<tr><td>"
      writeHeading(feature)
      html += "</td>"
      for column in columns {
        html += "<td data-name=\"\(column)\">"
        html += "\(Self.cell(feature[name: "properties"]?[name: column], of: column))</td>"
      }
      html += "</tr><tr><td colspan=\"\(columns.count + 1)\">"
      html += "<details><summary>Everything</summary>"
      write(feature)
      html += "</details></td></tr></tbody>\n"
    }
    html += "</table>"
  }

  /// A value in a list; a distance is rounded, and the opened row has all its digits.
  private static func cell(_ value: JSONValue?, of column: String) -> HTML {
    switch value {
    case .string(let text)?: return .text(text)
    case .number?:
      let text = value?.description ?? ""
      guard column == "distance", let meters = DecimalText.number(text) else {
        return "\(text)"
      }
      return "\(Int(meters.rounded())) m"
    default: return ""
    }
  }

  private static func coordinate(of feature: JSONValue) -> Coordinate? {
    guard case .array(let numbers)? = feature[name: "geometry"]?[name: "coordinates"],
      numbers.count == 2, let longitude = DecimalText.number(numbers[0].description),
      let latitude = DecimalText.number(numbers[1].description)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// Writes the name of a restaurant in a list, as a link to its own page.
  private mutating func writeHeading(_ feature: JSONValue) {
    guard let name = feature.restaurantName, case .string(let id)? = feature[name: "id"] else {
      return
    }
    let path = Endpoint.items.path + "/" + PercentCoding.encoded(id)
    let address = links.address(path, [("f", "html")])
    html += "<h2><a href=\"\(address)\">\(HTML.text(name))</a></h2>"
  }

  /// Writes the link from a restaurant to its page in the lunch page.
  mutating func writeLunchLink(to root: JSONValue) {
    guard root.restaurantName != nil, case .string(let id)? = root[name: "id"] else { return }
    let path = Endpoint.restaurantPage.path.replacing("{id}", with: PercentCoding.encoded(id))
    let address = links.address(path)
    html += "<p><a class=\"button\" href=\"\(address)\">Show it on the lunch page</a></p>\n"
  }

  // MARK: offers

  /// Writes offers, each with its name as a heading.
  mutating func writeOffers(_ offers: [JSONValue]) {
    for offer in offers {
      html += "<article>"
      if case .string(let name)? = offer[name: "name"], case .string(let id)? = offer[name: "id"] {
        let path = Endpoint.offers.path + "/" + PercentCoding.encoded(id)
        let address = links.address(path, [("f", "html")])
        html += "<h2><a href=\"\(address)\">\(HTML.text(name))</a></h2>"
      }
      write(offer)
      html += "</article>\n"
    }
  }

  private static func text(_ value: JSONValue?) -> String {
    if case .string(let text)? = value { text } else { "" }
  }
}

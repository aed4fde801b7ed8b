import Foundation
import GeoIndex
import GeoQuery

/// A resource for a person's browser: everything in its JSON, with every link as `<a>` (/req/html).
///
/// Tables without scripts, in the style of the lunch page. The service's own links are recognized by
/// their position in the JSON, because a feed may have a member named `links` too.
struct HTMLPage {
  private let links: LinkBase

  /// The page of a JSON answer; a restaurant's page has its name as the title.
  static func bytes(
    of json: [UInt8],
    title: String,
    _ links: LinkBase,
    _ credits: Credits
  ) -> [UInt8] {
    guard let value = try? JSONValue(parsing: json) else {
      // nested more deeply than the reader allows: shown as text, still escaped
      let text = HTML.text(String(decoding: json, as: UTF8.self))
      return bytes(title: title, "<pre>\(text)</pre>", links, credits)
    }
    let body = HTMLPage(links: links).answer(value)
    return bytes(title: value.restaurantName ?? title, body, links, credits)
  }

  /// What a page may load, repeated in the page because a saved page has no header fields.
  private static let policy: HTML = """
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
    """

  /// A whole document.
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
      style: links.address(.pageStyle, [("v", PageAsset.style.tag)]),
      attributes: " class=\"document\"",
      content
    )
  }

  // MARK: An answer

  /// An answer: its `links`, `collections`, `features` and `offers` are the service's own.
  private func answer(_ root: JSONValue) -> HTML {
    guard case .object(let members) = root else { return value(root) }
    var (sections, linkLists, others): ([HTML], [[JSONValue]], [JSONMember]) = ([], [], [])
    for member in members {
      if let section = section(member) {
        sections.append(section)
      } else if let links = Self.links(member) {
        linkLists.append(links)
      } else {
        others.append(member)
      }
    }
    // a list starts with the restaurants; a plan, with what describes it
    let count = count(of: root)
    let details: HTML =
      count == nil
      ? "" : "<details><summary>About this answer</summary>\(table(others))</details>\n"
    return """
      \(lunchLink(to: root))\(count)\(count == nil && !others.isEmpty ? table(others) : "")\(sections)\
      \(linkLists.map(steps))\(linkLists.map(linkTable))\(details)
      """
  }

  /// The number of results; nil if the answer is not a page of a list.
  private func count(of root: JSONValue) -> HTML? {
    guard let all = root[name: "numberMatched"], all.isNumber,
      let count = root[name: "numberReturned"]
    else { return nil }
    return "<p class=\"count\">\(count.description) of \(all.description)</p>\n"
  }

  /// A list whose entries have pages of their own; nil for other members.
  private func section(_ member: JSONMember) -> HTML? {
    guard case .array(let values) = member.value else { return nil }
    let entries: HTML
    switch member.name {
    case "collections": entries = "\(values.map(collection))"
    case "features": entries = features(values)
    case "offers": entries = "\(values.map(offer))"
    default: return nil
    }
    return "<section aria-label=\"\(member.name)\">\(entries)</section>\n"
  }

  private static func links(_ member: JSONMember) -> [JSONValue]? {
    guard case .array(let links) = member.value, member.name.isUTF8Equal(to: "links") else {
      return nil
    }
    return links
  }

  private func collection(_ collection: JSONValue) -> HTML {
    guard case .object(let members) = collection else { return value(collection) }
    let others = members.filter { Self.links($0) == nil }
    return "<article>\(table(others))\(members.compactMap(Self.links).map(linkTable))</article>\n"
  }

  // MARK: Values

  private func value(_ value: JSONValue, depth: Int = 0) -> HTML {
    switch value {
    case .object(let members): table(members, depth: depth)
    case .array(let values) where values.allSatisfy(\.isNumber):
      "\(values.map(\.description).joined(separator: ", "))"
    case .array(let values):
      "<ul>\(values.map { item -> HTML in "<li>\(self.value(item, depth: depth))</li>\n" })</ul>"
    case .string(let text): .webLink(text, "rel=\"noopener nofollow\"")
    default: "\(value.description)"
    }
  }

  /// A table of names and values; deeper than three tables, which would have no room, a list.
  private func table(_ members: [JSONMember], depth: Int = 0) -> HTML {
    let isTable = depth < 3
    let rows = members.map { member -> HTML in
      let (name, value) = (HTML.text(member.name), value(member.value, depth: depth + 1))
      return isTable
        ? "<tr><th scope=\"row\">\(name)</th><td>\(value)</td></tr>\n"
        : "<dt>\(name)</dt><dd>\(value)</dd>\n"
    }
    return isTable ? "<table class=\"members\">\(rows)</table>" : "<dl>\(rows)</dl>"
  }

  // MARK: Links

  /// Links as a table: title, relation and format.
  private func linkTable(_ links: [JSONValue]) -> HTML {
    if links.isEmpty { return "" }
    let rows = links.map { link -> HTML in
      guard let address = link.webAddress, case .string(let relation)? = link[name: "rel"] else {
        return "<tr><td>\(value(link))</td><td></td><td></td></tr>\n"
      }
      let title = link.text("title")
      let words = title.isEmpty ? Self.titles[relation] ?? relation : title
      return """
        <tr><td><a href="\(address)" rel="\(relation)">\(words)</a></td><td>\(relation)</td>\
        <td>\(link.text("type"))</td></tr>

        """
    }
    return """
      <details class="links" open><summary>Links</summary><table class="list">\
      <thead><tr><th>page</th><th>link</th><th>format</th></tr></thead><tbody>\(rows)</tbody></table></details>

      """
  }

  private static let titles = [
    "self": "This page", "alternate": "The same in another format",
    "collection": "The collection", "items": "The restaurants",
  ]

  /// The links to the previous and the next page.
  private func steps(_ links: [JSONValue]) -> HTML {
    let pages = [("prev", "‹ Previous page"), ("next", "Next page ›")]
    let steps = pages.compactMap { relation, title -> HTML? in
      let link = links.first { $0.text("rel").isUTF8Equal(to: relation) }
      return link?.webAddress.map { "<a class=\"button\" href=\"\($0)\">\(title)</a> " }
    }
    return steps.isEmpty ? "" : "<p class=\"steps\">\(steps)</p>\n"
  }

  /// The name of a resource as a heading that links to its own page.
  private func heading(_ name: String, _ id: String, in endpoint: Endpoint) -> HTML {
    let address = links.address(endpoint.path + "/" + PercentCoding.encoded(id), [("f", "html")])
    return "<h2><a href=\"\(address)\">\(HTML.text(name))</a></h2>"
  }

  /// The link from a restaurant to its page in the lunch page.
  private func lunchLink(to root: JSONValue) -> HTML {
    guard root.restaurantName != nil, case .string(let id)? = root[name: "id"] else { return "" }
    let address = links.address(Endpoint.restaurantPage.path(id: id))
    return """
      <p><a class="button" href="\(address)">Show it on the lunch page</a></p>

      """
  }

  // MARK: Restaurants and offers

  /// Restaurants as a map and a table; each row opens to show everything that is known.
  private func features(_ features: [JSONValue]) -> HTML {
    let map = PointMap(features.map(\.coordinate))
    let hasDistance = features.contains { $0[name: "properties"]?[name: "distance"] != nil }
    let columns = (hasDistance ? ["distance"] : []) + ["category", "city", "rating", "priceLevel"]
    let isNumbered = map?.isNumbered == true
    let bodies = features.enumerated().map { index, feature -> HTML in
      let anchor: HTML = isNumbered ? " id=\"\(PointMap.anchor(index + 1))\"" : ""
      var name: HTML = ""
      if let text = feature.restaurantName, case .string(let id)? = feature[name: "id"] {
        name = heading(text, id, in: .items)
      }
      let cells = columns.map { column -> HTML in
        let value = feature[name: "properties"]?[name: column]
        return "<td data-name=\"\(column)\">\(Self.cell(value, of: column))</td>"
      }
      return """
        <tbody\(anchor)><tr><td>\(name)</td>\(cells)</tr><tr><td colspan="\(columns.count + 1)">\
        <details><summary>Everything</summary>\(value(feature))</details></td></tr></tbody>

        """
    }
    let titles = columns.map { column -> HTML in "<th>\(column)</th>" }
    return """
      \(map?.html)<table class="list\(isNumbered ? " numbered" : "")"><thead><tr><th>name</th>\(titles)</tr></thead>
      \(bodies)</table>
      """
  }

  /// A value in a list; a distance is rounded, and the opened row has all its digits.
  private static func cell(_ value: JSONValue?, of column: String) -> HTML {
    switch value {
    case .string(let text)?: return .text(text)
    case .number(let text)?:
      guard column == "distance", let meters = DecimalText.number(text) else { return "\(text)" }
      return "\(Int(meters.rounded())) m"
    default: return ""
    }
  }

  private func offer(_ offer: JSONValue) -> HTML {
    var name: HTML = ""
    if case .string(let text)? = offer[name: "name"], case .string(let id)? = offer[name: "id"] {
      name = heading(text, id, in: .offers)
    }
    return "<article>\(name)\(value(offer))</article>\n"
  }
}

extension JSONValue {
  /// The name of a GeoJSON feature.
  fileprivate var restaurantName: String? {
    guard case .string(let name)? = self[name: "properties"]?[name: "name"] else { return nil }
    return name
  }

  fileprivate var coordinate: Coordinate? {
    guard case .array(let numbers)? = self[name: "geometry"]?[name: "coordinates"],
      numbers.count == 2, let longitude = DecimalText.number(numbers[0].description),
      let latitude = DecimalText.number(numbers[1].description)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  fileprivate var isNumber: Bool {
    if case .number = self { true } else { false }
  }

  /// The text of a member; empty if it has none.
  fileprivate func text(_ name: String) -> String {
    if case .string(let text)? = self[name: name] { text } else { "" }
  }

  /// The address of a link, if it is one of the web.
  fileprivate var webAddress: String? {
    let address = text("href")
    return HTMLText.isWebAddress(address) ? address : nil
  }
}

/// A small map of the restaurants in a table, drawn without a script: one point for each.
///
/// It is in Web Mercator, fitted to the points, with a scale line. If there are few restaurants, the
/// points have the numbers of their rows and lead to them; otherwise several on one spot are one
/// larger point.
struct PointMap {
  /// The most restaurants whose points are numbered; more would cover each other.
  static let maximumNumbers = 50

  private static let (width, height, margin) = (360.0, 220.0, 16.0)
  /// The equator, in meters.
  private static let circumference = 40_075_017.0
  /// The least width and height that are drawn, in meters.
  private static let minimumSpan = 200.0

  private let rows: [(number: Int, coordinate: Coordinate)]
  private let box: BoundingBox
  /// Whether the points have the numbers of their rows.
  let isNumbered: Bool

  /// Nil if fewer than two restaurants have coordinates: a point alone shows nothing.
  init?(_ coordinates: [Coordinate?]) {
    rows = coordinates.enumerated().compactMap { index, coordinate in
      coordinate.map { (index + 1, $0) }
    }
    guard rows.count > 1, let box = BoundingBox(enclosing: rows.map(\.coordinate)) else {
      return nil
    }
    self.box = box
    isNumbered = coordinates.count <= Self.maximumNumbers
  }

  static func anchor(_ row: Int) -> String { "row-\(row)" }

  /// The drawing, as an element of HTML.
  var html: HTML {
    guard let corner = Coordinate(latitude: box.north, longitude: box.west) else { return "" }
    let origin = WebMercator.place(of: corner)
    let places = rows.map { row in
      let place = WebMercator.place(of: row.coordinate)
      // a box may cross the antimeridian
      return (x: place.x - origin.x + (place.x < origin.x ? 1 : 0), y: place.y - origin.y)
    }
    let size = (x: places.map(\.x).max() ?? 0, y: places.map(\.y).max() ?? 0)
    // beyond the square of the map there is no length
    let latitude = min(max((box.south + box.north) / 2, -85), 85)
    let equator = Self.circumference * cos(latitude * .pi / 180)
    let least = Self.minimumSpan / equator
    let scale = min(
      (Self.width - 2 * Self.margin) / max(size.x, least),
      (Self.height - 2 * Self.margin) / max(size.y, least)
    )
    let points = places.map { place in
      (
        x: Int((Self.width / 2 + (place.x - size.x / 2) * scale).rounded()),
        y: Int((Self.height / 2 + (place.y - size.y / 2) * scale).rounded())
      )
    }
    let role = isNumbered ? "group" : "img"
    var html: HTML = "<svg class=\"points\" viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" "
    html += "role=\"\(role)\" aria-label=\"Map of the \(points.count) restaurants\">"
    if isNumbered {
      for (row, point) in zip(rows, points) {
        html += "<a href=\"#\(Self.anchor(row.number))\">"
        html += "<circle cx=\"\(point.x)\" cy=\"\(point.y)\" r=\"8\"/>"
        html += "<text x=\"\(point.x)\" y=\"\(point.y)\">\(row.number)</text></a>"
      }
    } else {
      let spots = Dictionary(points.map { ($0.y << 16 | $0.x, 1) }, uniquingKeysWith: +)
      for (spot, count) in spots.sorted(by: { $0.key < $1.key }) {
        let radius = min(3 + count.bitWidth - 1 - count.leadingZeroBitCount, 9)
        html += "<circle cx=\"\(spot & 0xFFFF)\" cy=\"\(spot >> 16)\" r=\"\(radius)\"/>"
      }
    }
    // over many degrees of latitude one length is not true everywhere
    if box.north - box.south < 10 { html += Self.scaleLine(metersPerPixel: equator / scale) }
    html += "</svg>\n"
    return html
  }

  /// A line of 1, 2 or 5 times a power of ten, at most a quarter as long as the map is wide.
  private static func scaleLine(metersPerPixel: Double) -> HTML {
    let most = metersPerPixel * width / 4
    let power = pow(10, log10(most).rounded(.down))
    let meters = [5, 2, 1].map { $0 * power }.first { $0 <= most } ?? power
    let (x, y) = (Int(margin / 2), Int(height - margin / 2))
    let end = x + Int((meters / metersPerPixel).rounded())
    return """
      <g class="scale"><path d="M\(x) \(y - 5)V\(y)H\(end)V\(y - 5)"/>\
      <text x="\(end + 5)" y="\(y - 2)">\(PageUnits.kilometers.text(of: meters))</text></g>
      """
  }
}

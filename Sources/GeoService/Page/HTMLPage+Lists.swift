import GeoIndex
import GeoQuery

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

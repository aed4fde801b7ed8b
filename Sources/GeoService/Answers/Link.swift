import GeoQuery

/// A link of an answer (RFC 8288): always absolute, always with a type.
struct Link: Hashable, Sendable {
  /// The relation to this resource: `self`, `next`, `items`.
  let relation: String

  /// The address.
  let address: String

  /// The media type of its target.
  let type: String

  /// A title for people.
  var title: String?

  /// Whether the address contains variables in braces.
  var isTemplate = false
}

extension JSONWriter {
  /// Writes `"links":[…]`.
  mutating func links(_ links: [Link]) {
    raw("\"links\":[")
    for (position, link) in links.enumerated() {
      raw(position == 0 ? "{\"href\":" : ",{\"href\":")
      string(link.address)
      raw(",\"rel\":")
      string(link.relation)
      raw(",\"type\":")
      string(link.type)
      if let title = link.title {
        raw(",\"title\":")
        string(title)
      }
      if link.isTemplate { raw(",\"templated\":true") }
      raw("}")
    }
    raw("]")
  }
}

extension Link {
  /// The maximum length of a header field `Link` in bytes: clients accept heads of at least 8 KB.
  private static let maximumFieldLength = 4_096

  /// The links as the header field `Link` (RFC 8288); nil without any.
  ///
  /// Links to other pages come first, then others up to the limit; the body has them all.
  static func field(_ links: [Link]) -> String? {
    var text = ""
    let isPaging = { (link: Link) in ["next", "prev"].contains(link.relation) }
    for link in links.filter(isPaging) + links.filter({ !isPaging($0) }) {
      let entry = "<\(link.address)>; rel=\"\(link.relation)\"; type=\"\(link.type)\""
      guard text.utf8.count + entry.utf8.count + 2 <= maximumFieldLength else { continue }
      if !text.isEmpty { text += ", " }
      text += entry
    }
    return text.isEmpty ? nil : text
  }
}

/// Builds addresses, starting with the address of the service as the client sees it.
struct LinkBase: Hashable, Sendable {
  /// `http://localhost:8080`, without a slash at the end.
  let base: String

  /// The address of a path.
  ///
  /// - Parameters:
  ///   - path: Begins with `/`; its segments are encoded.
  ///   - pairs: Names and values of the query, not encoded.
  /// - Returns: An absolute address.
  func address(_ path: String, _ pairs: [(name: String, value: String)] = []) -> String {
    let query = pairs.map { "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))" }
    return base + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// The links to a resource in all its representations: `self` and `alternate`.
  ///
  /// - Parameters:
  ///   - path: The resource.
  ///   - pairs: The query, without `f`.
  ///   - chosen: The representation of the answer.
  ///   - offers: All representations of the resource.
  /// - Returns: A link for each representation, in the order of the offers.
  func selfLinks(
    _ path: String,
    _ pairs: [(name: String, value: String)] = [],
    as chosen: Representation,
    of offers: [Representation]
  ) -> [Link] {
    offers.map { offer in
      Link(
        relation: offer == chosen ? "self" : "alternate",
        address: address(path, pairs + [("f", offer.formatName(among: offers))]),
        type: offer.plainType
      )
    }
  }
}

import GeoQuery

/// A link of an answer (RFC 8288): always absolute, always with a type.
struct Link: Hashable, Sendable {
  /// What it is to this resource: `self`, `next`, `items`.
  let relation: String

  /// The address.
  let address: String

  /// The media type behind it.
  let type: String

  /// A few words for people.
  var title: String?

  /// Whether the address has parts in braces, to be filled in.
  var isTemplate = false
}

extension JSONText {
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
  /// The most bytes of a header field `Link`: clients read heads of 8 KB at least.
  private static let maximumFieldLength = 4_096

  /// The links as the header field `Link` (RFC 8288); nil without any.
  ///
  /// Those to other pages come first, then as many as fit; the body has all.
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

/// Makes addresses: where the client says the service is.
struct LinkBase: Hashable, Sendable {
  /// `http://localhost:8080`, without a slash at the end.
  let base: String

  /// The address of a path.
  ///
  /// - Parameters:
  ///   - path: Begins with `/`; its segments are encoded already.
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
  ///   - chosen: The representation that is being answered with.
  ///   - offers: All of the resource.
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

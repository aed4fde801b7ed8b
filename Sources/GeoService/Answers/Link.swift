import GeoQuery
import HTTPTypes

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

extension LinkBase {
  /// The address of the service as its client sees it: from `Host`, or from the fields of the proxy
  /// in front.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - host: The host as the client sees it, checked already.
  ///   - settings: Say whether there is a proxy.
  init(_ request: ServiceRequest, host: String, _ settings: ServiceSettings) {
    guard settings.isBehindProxy else {
      base = "http://\(host)"
      return
    }
    let isSecure = Self.isSecure(request, settings)
    let prefix = Self.last(request.fields[.forwardedPrefix]).flatMap(Self.prefix) ?? ""
    base = "\(isSecure ? "https" : "http")://\(host)\(prefix)"
  }

  /// Whether the client's own connection is encrypted.
  static func isSecure(_ request: ServiceRequest, _ settings: ServiceSettings) -> Bool {
    settings.isBehindProxy && last(request.fields[.forwardedProto])?.lowercased() == "https"
  }

  /// Whether browsers trust the client's address: its connection is encrypted, or the host is the client's own
  /// machine (W3C, Secure Contexts, 3.1).
  static func isTrustworthy(_ request: ServiceRequest, _ settings: ServiceSettings) -> Bool {
    if isSecure(request, settings) { return true }
    let shown = settings.isBehindProxy ? forwardedHost(request) : nil
    let name = HostRule.split(shown ?? request.host ?? "").name
    return ["localhost", "127.0.0.1", "[::1]"].contains { name.utf8.elementsEqual($0.utf8) }
  }

  /// The host in the client's request to the proxy in front; `nil` if the proxy does not say.
  static func forwardedHost(_ request: ServiceRequest) -> String? {
    last(request.fields[.forwardedHost])
  }

  /// The last entry of a list, which is from the proxy in front: the client may have sent those
  /// before it.
  private static func last(_ list: String?) -> String? {
    guard let word = list?.split(separator: ",", omittingEmptySubsequences: false).last else {
      return nil
    }
    let bare = trimmed(word)
    return bare.isEmpty ? nil : bare
  }

  /// A path without its trailing slash; nil if it is not a path.
  private static func prefix(_ text: String) -> String? {
    let path = text.hasSuffix("/") ? text.dropLast() : text[...]
    let isPath =
      (path.isEmpty || path.hasPrefix("/")) && !path.contains("//")
      && PercentCoding.decoded(path) != nil
      && path.utf8.allSatisfy { isNamePart($0) || "/~%".utf8.contains($0) }
    return isPath ? String(path) : nil
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: ".-_".utf8.contains(byte)
    }
  }
}

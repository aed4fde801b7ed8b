import GeoQuery
import HTTPTypes

/// A link of an answer (RFC 8288): always absolute, always with a type.
struct Link: Hashable, Sendable {
  /// The relation to this resource: `self`, `next`, `items`.
  let relation: String

  let address: String

  /// The media type of its target.
  let type: String

  /// A title for people.
  let title: String?

  /// Whether the address contains variables in braces.
  let isTemplate: Bool

  /// For a request by POST: the members that replace those of this request's body; nil for GET.
  let posted: JSONValue?

  init(
    _ relation: String,
    _ address: String,
    _ type: String = "application/json",
    title: String? = nil,
    isTemplate: Bool = false,
    posting posted: JSONValue? = nil
  ) {
    self.relation = relation
    self.address = address
    self.type = type
    self.title = title
    self.isTemplate = isTemplate
    self.posted = posted
  }
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
      if let posted = link.posted {
        // as STAC API has it (Item Search, paging by POST)
        raw(",\"method\":\"POST\",\"merge\":true,\"body\":")
        value(posted)
      }
      raw("}")
    }
    raw("]")
  }
}

extension Link {
  /// The maximum length of a header field `Link` in bytes: proxies such as nginx accept heads of 4 KB.
  private static let maximumFieldLength = 2_560

  /// The links as the header field `Link` (RFC 8288); nil without any.
  ///
  /// Those to the next and the previous page come first, then others, as far as the length allows. A link to the
  /// next page is there whatever its length unless the body has it.
  static func field(_ links: [Link], areInBody: Bool) -> String? {
    var text = ""
    let pages = ["next", "prev"].flatMap { page in links.filter { $0.relation == page } }
    for link in pages + links.filter({ !["next", "prev"].contains($0.relation) }) {
      let entry =
        "<" + link.address + ">; rel=\"" + link.relation + "\"; type=\"" + link.type + "\""
      guard
        text.utf8.count + entry.utf8.count + 2 <= maximumFieldLength
          || (link.relation == "next" && !areInBody)
      else { continue }
      text += text.isEmpty ? entry : ", " + entry
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

  /// The address of a resource without an id.
  func address(_ endpoint: Endpoint, _ pairs: [(name: String, value: String)] = []) -> String {
    address(endpoint.path, pairs)
  }

  /// The links to a resource in all its representations, in the order of the offers: `self` and
  /// `alternate`.
  func selfLinks(
    _ path: String,
    _ pairs: [(name: String, value: String)] = [],
    as chosen: Representation,
    of offers: [Representation]
  ) -> [Link] {
    offers.map { offer in
      Link(
        offer == chosen ? "self" : "alternate",
        address(path, pairs + [("f", offer.formatName(among: offers))]),
        offer.plainType
      )
    }
  }
}

extension LinkBase {
  /// The address of the service as its client sees it: from `Host`, or from the fields of the proxy
  /// in front.
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
    let word = list?.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
    let bare = String(word).trimmingBlanks
    return bare.isEmpty ? nil : bare
  }

  /// A path without its trailing slash; nil if it is not a path.
  private static func prefix(_ text: String) -> String? {
    let path = text.hasSuffix("/") ? text.dropLast() : text[...]
    let isPath =
      (path.isEmpty || path.hasPrefix("/")) && !path.contains("//")
      && PercentCoding.decoded(path) != nil
      && path.utf8.allSatisfy { $0.isAlphanumeric || ".-_/~%".utf8.contains($0) }
    return isPath ? String(path) : nil
  }
}

/// An http or https address in a form that all programs parse alike.
///
/// If a check and a client find different hosts in one address, the check can be bypassed. So an
/// address is rejected if it has a user, a backslash, or a host with anything but letters, digits,
/// dots and hyphens.
package struct WebAddress: Hashable, Sendable {
  /// The maximum length of an address in bytes.
  private static let maximumLength = 2_048

  /// The whole address: printable ASCII, without a fragment.
  package let text: String

  /// Whether the scheme is https.
  package let isSecure: Bool

  /// The host's name, in lower case.
  package let host: String

  /// The port; the default of the scheme if the address has none.
  package let port: Int

  /// Scheme, host and port, as in a content security policy.
  package let origin: String

  /// Parses an address; nil if it is invalid or too long.
  package init?(_ text: String) {
    let bytes = Array(text.utf8.prefix(Self.maximumLength + 1))
    guard bytes.count <= Self.maximumLength else { return nil }
    let start = bytes.prefix(8).map(\.lowercased)
    if start.starts(with: "https://".utf8) {
      isSecure = true
    } else if start.starts(with: "http://".utf8) {
      isSecure = false
    } else {
      return nil
    }
    let scheme = isSecure ? "https" : "http"
    let rest = bytes.dropFirst(scheme.utf8.count + 3).prefix { $0 != UInt8(ascii: "#") }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let path = rest[authority.endIndex...]
    guard let place = HostAndPort(authority), path.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    host = place.name
    port = place.port ?? (isSecure ? 443 : 80)
    origin = "\(scheme)://\(host)" + (place.port.map { ":\($0)" } ?? "")
    self.text = origin + (path.first == UInt8(ascii: "/") ? "" : "/") + PercentCoding.plain(path)
  }
}

/// A host and an optional port: `a.example:8080`.
struct HostAndPort {
  /// The host, in lower case.
  let name: String

  /// The port; nil if there is none.
  let port: Int?

  init?(_ bytes: some Collection<UInt8>) {
    let name = bytes.prefix { $0 != UInt8(ascii: ":") }
    let rest = bytes.dropFirst(name.count)
    guard (1...253).contains(name.count),
      name.allSatisfy({ $0.isAlphanumeric || ".-".utf8.contains($0) }),
      let first = name.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-")
    else { return nil }
    self.name = String(decoding: name.map(\.lowercased), as: UTF8.self)
    if rest.isEmpty {
      port = nil
      return
    }
    let digits = rest.dropFirst()
    guard (1...5).contains(digits.count), digits.allSatisfy(\.isDigit),
      let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
    else { return nil }
    self.port = port
  }
}

import GeoQuery
package import HTTPTypes

/// A request as a value, read from a connection or made by a test.
package struct ServiceRequest: Sendable {
  /// The method.
  package var method: HTTPRequest.Method

  /// The request target as it was sent: `/nearest?lat=…`.
  package var target: String

  /// The first `Host`; nil without one.
  package var host: String?

  /// All header fields; a second `Host` is still among them.
  package var fields: HTTPFields

  /// The body; empty without one.
  package var body: [UInt8]

  /// The port that the connection came in on; nil if there is none.
  package var port: Int?

  /// The address that the connection came from; `nil` without a network.
  package var peer: String?

  /// The address that a proxy in front saw; `nil` without a proxy.
  package var forwardedPeer: String?

  /// Identifies the request in answers and in the log.
  package var id: String

  /// The `traceparent` that the proxy in front sent, for answers and the log; `nil` without one.
  package var traceParent: String?

  /// Makes a request, by default to localhost.
  package init(
    _ method: HTTPRequest.Method = .get,
    _ target: String,
    host: String? = "localhost",
    fields: HTTPFields = [:],
    body: [UInt8] = [],
    port: Int? = nil,
    id: String = "0"
  ) {
    self.method = method
    self.target = target
    self.host = host
    self.fields = fields
    self.body = body
    self.port = port
    self.id = id
  }
}

/// An answer as a value.
package struct ServiceResponse: Sendable {
  /// The status.
  package var status: HTTPResponse.Status

  /// The header fields, without those that the edge adds (`Date`, `Content-Length`).
  package var fields: HTTPFields

  /// The body; for HEAD that of GET, which the edge does not send.
  package var body: [UInt8]

  /// The name of the route in log and metrics; a fixed word if there is no route.
  package var route: String

  /// The number of restaurants in the body; nil if it has no such number.
  package var hits: Int?

  /// The cause of a failure, for the log; `nil` if there is none.
  package var cause: String?

  /// Whether the operator, not the client, must fix it: logged even if requests are not.
  package var isFault = false
}

/// A parsed request target: RFC 9112 §3.2's origin form, or the absolute form.
struct RequestTarget {
  /// The maximum length of a target in bytes.
  static let maximumLength = 8_192

  /// The path as sent, beginning with `/`.
  let path: Substring

  /// The query as sent, without `?`; nil without one.
  let query: Substring?

  /// The host of an absolute form, which overrides the header.
  let authority: Substring?

  /// Parses a target.
  ///
  /// - Throws: `Problem` 414 if it is too long, 400 if it has another form.
  init(_ target: String) throws {
    guard target.utf8.count <= Self.maximumLength else { throw Problem.targetTooLong }
    // checked before anything compares it, because comparing non-ASCII text is slow
    guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
      throw Problem.badTarget
    }
    var rest = target[...]
    // nearly all targets begin with a slash; looking for a scheme would cost the most
    if target.utf8.first == UInt8(ascii: "/") {
      authority = nil
    } else if let scheme = ["http://", "https://"].first(where: {
      target.lowercased().hasPrefix($0)
    }) {
      rest = rest.dropFirst(scheme.count)
      let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = rest[..<slash]
      rest = slash == rest.endIndex ? "/" : rest[slash...]
    } else {
      authority = nil
    }
    guard rest.utf8.first == UInt8(ascii: "/") else { throw Problem.badTarget }
    let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
    path = rest[..<(mark ?? rest.endIndex)]
    query = mark.map { rest[rest.utf8.index(after: $0)...] }
  }

  /// The names and values of the query, decoded, in their order.
  ///
  /// - Throws: `Problem` 400 if an escape is broken.
  func pairs() throws -> [(name: String, value: String)] {
    try query.map(Self.pairs) ?? []
  }

  /// The names and values of a query, or of a form, decoded, in their order.
  ///
  /// - Throws: `Problem` 400 if an escape is broken.
  static func pairs(of query: Substring) throws -> [(name: String, value: String)] {
    var query = query
    // as bytes: slices of texts took three times the instructions
    return try query.withUTF8 { bytes in
      try bytes.split(separator: UInt8(ascii: "&")).map { part in
        let mark = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        let name = PercentCoding.decoded(part[..<mark], plusIsBlank: true)
        let value = PercentCoding.decoded(part[mark...].dropFirst(), plusIsBlank: true)
        guard let name, let value else { throw Problem.brokenEscape }
        return (name, value)
      }
    }
  }
}

/// Percent-encoding of RFC 3986, strictly: invalid escapes are rejected.
enum PercentCoding {
  /// Decodes a text.
  ///
  /// - Parameters:
  ///   - text: A path segment, or a name or value of a query.
  ///   - plusIsBlank: Whether `+` stands for a blank, as in queries that forms and libraries write.
  /// - Returns: Nil if an escape is broken, the bytes are not UTF-8, or one is NUL.
  static func decoded(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String? {
    var text = String(text)
    return text.withUTF8 { decoded($0[...], plusIsBlank: plusIsBlank) }
  }

  /// The same for the bytes of a text.
  static func decoded(
    _ text: Slice<UnsafeBufferPointer<UInt8>>,
    plusIsBlank: Bool
  ) -> String? {
    // most values have no escapes
    if !text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") || $0 == 0 }) {
      return String(decoding: UnsafeBufferPointer(rebasing: text), as: UTF8.self)
    }
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    if bytes.contains(0) { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Escapes everything except RFC 3986's unreserved characters and commas.
  static func encoded(_ text: some StringProtocol) -> String {
    escaped(text.utf8) { $0.isAlphanumeric || "-._~,".utf8.contains($0) }
  }

  /// Escapes the characters of a path or query that RFC 3986 does not allow in addresses.
  static func plain(_ text: some Collection<UInt8>) -> String { escaped(text, unless: isAllowed) }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D: false  // " < > \\ ^ ` { | }
    default: byte > 0x20 && byte < 0x7F
    }
  }

  private static func escaped(
    _ text: some Collection<UInt8>,
    unless isKept: (UInt8) -> Bool
  ) -> String {
    // most have none
    if text.allSatisfy(isKept) { return String(decoding: text, as: UTF8.self) }
    var result: [UInt8] = []
    for byte in text {
      if isKept(byte) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(contentsOf: [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  /// The byte that an escape of three bytes stands for; nil if they are not an escape.
  static func escape(_ bytes: [UInt8]) -> UInt8? {
    guard bytes.count == 3, bytes[0] == UInt8(ascii: "%"), let high = bytes[1].hexValue,
      let low = bytes[2].hexValue
    else { return nil }
    return high << 4 | low
  }
}

/// Characters of ASCII.
extension UInt8 {
  /// Whether it is a letter or a digit.
  var isAlphanumeric: Bool { isDigit || isLetter }

  /// Whether it is a hexadecimal digit in lower case.
  var isLowerHex: Bool { isDigit || (0x61...0x66).contains(self) }

  /// The value of a hexadecimal digit; nil for anything else.
  var hexValue: UInt8? {
    let digit = lowercased
    return digit.isLowerHex ? digit - (digit.isDigit ? 0x30 : 0x57) : nil
  }

  /// A letter in lower case, and anything else as it is.
  var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

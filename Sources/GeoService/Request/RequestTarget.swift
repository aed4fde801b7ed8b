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
    try query.utf8.split(separator: UInt8(ascii: "&")).map { part in
      let mark = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      let name = PercentCoding.decoded(Substring(part[..<mark]), plusIsBlank: true)
      let value = PercentCoding.decoded(Substring(part[mark...].dropFirst()), plusIsBlank: true)
      guard let name, let value else { throw Problem.brokenEscape }
      return (name, value)
    }
  }
}

/// A request target, taken apart: RFC 9112 §3.2's origin form, and the absolute form for its host.
struct RequestTarget {
  /// The most bytes a target may have.
  static let maximumLength = 8_192

  /// The path as sent, beginning with `/`.
  let path: Substring

  /// The query as sent, without `?`; nil without one.
  let query: Substring?

  /// The host of an absolute form, which then counts instead of the header.
  let authority: Substring?

  /// Takes a target apart.
  ///
  /// - Throws: `Problem` 414 where it is too long, 400 where it has another form.
  init(_ target: String) throws {
    guard target.utf8.count <= Self.maximumLength else { throw Problem.targetTooLong }
    var rest = target[...]
    if let scheme = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) {
      rest = rest.dropFirst(scheme.count)
      let slash = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = rest[..<slash]
      rest = slash == rest.endIndex ? "/" : rest[slash...]
    } else {
      authority = nil
    }
    let isPlain = target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    guard rest.hasPrefix("/"), isPlain else { throw Problem.badTarget }
    let mark = rest.firstIndex(of: "?")
    path = rest[..<(mark ?? rest.endIndex)]
    query = mark.map { rest[rest.index(after: $0)...] }
  }

  /// The names and values of the query, decoded, in their order.
  ///
  /// - Throws: `Problem` 400 where an escape is broken.
  func pairs() throws -> [(name: String, value: String)] {
    guard let query, !query.isEmpty else { return [] }
    return try query.split(separator: "&", omittingEmptySubsequences: true).map { part in
      let mark = part.firstIndex(of: "=") ?? part.endIndex
      let name = PercentCoding.decoded(part[..<mark], plusIsBlank: true)
      let value = PercentCoding.decoded(part[mark...].dropFirst(), plusIsBlank: true)
      guard let name, let value else { throw Problem.brokenEscape }
      return (name, value)
    }
  }
}

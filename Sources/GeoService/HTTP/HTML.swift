import GeoQuery

/// A piece of HTML whose texts are escaped by type.
///
/// Literals are HTML. An interpolated `String` is text and is escaped; an interpolated `HTML` is
/// not. So text from outside gets into a page through `HTMLText` only. Attributes are always in
/// double quotes.
struct HTML: Sendable, ExpressibleByStringInterpolation {
  private(set) var source: String

  /// Makes HTML from a literal of the program.
  init(stringLiteral value: String) {
    source = value
  }

  init(stringInterpolation: StringInterpolation) {
    source = stringInterpolation.source
  }

  /// A text whose writing direction does not affect what follows it.
  static func text(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

  /// A text, as a link with these attributes if it is a web address: a feed may contain `javascript:`.
  static func webLink(_ text: String, _ attributes: HTML) -> HTML {
    HTMLText.isWebAddress(text)
      ? "<a href=\"\(text)\" \(attributes)>\(HTML.text(text))</a>" : .text(text)
  }

  /// The attributes of a link that leaves the service, in a new tab.
  static let outside: HTML = "target=\"_blank\" rel=\"noopener noreferrer nofollow\""

  /// Facts in one line, with dots between them.
  static func line(_ facts: [HTML]) -> HTML {
    "\(facts.prefix(1).map(\.self))\(facts.dropFirst().map { fact -> HTML in " · \(fact)" })"
  }

  /// The value of a form's field, which sends back the same text.
  ///
  /// A field is isolated from the text around it, so all characters stay as they are.
  static func fieldValue(_ text: String) -> HTML {
    HTML(stringLiteral: HTMLText.escaped(text, showsTricky: false))
  }

  /// A paragraph with the credits of the sources; nil if there are none.
  static func credit(_ credits: Credits) -> HTML? {
    credits.html.map { HTML(stringLiteral: "<p>Data: \($0)</p>\n") }
  }

  /// A whole document: what all pages have, and a body.
  ///
  /// `policy` is what the page may load, `head` further lines, each with its line break; each of
  /// the body's `attributes` has a space before it.
  static func document(
    title: String,
    policy: HTML = "",
    style: String,
    head: HTML = "",
    attributes: HTML = "",
    _ body: HTML
  ) -> [UInt8] {
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8">\(policy)
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="stylesheet" href="\(style)">
      \(head)</head>
      <body\(attributes)>
      \(body)
      </body>
      </html>

      """
    return Array(page.source.utf8)
  }

  static func + (left: HTML, right: HTML) -> HTML { "\(left)\(right)" }

  static func += (left: inout HTML, right: HTML) {
    left.source += right.source
  }

  /// Collects literals unchanged and texts escaped.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var source: String

    init(literalCapacity: Int, interpolationCount: Int) {
      source = ""
      source.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { source += literal }

    mutating func appendInterpolation(_ text: String) { source += HTMLText.escaped(text) }

    mutating func appendInterpolation(_ number: Int) { source += String(number) }

    mutating func appendInterpolation(_ html: HTML) { source += html.source }

    mutating func appendInterpolation(_ html: HTML?) { source += html?.source ?? "" }

    mutating func appendInterpolation(_ parts: [HTML]) {
      for part in parts { source += part.source }
    }
  }
}

/// Escapes text from any origin for HTML.
enum HTMLText {
  /// A text escaped for use between tags and in quoted attributes.
  ///
  /// Characters that would change the text around them are shown as `\u{…}`: control characters,
  /// and those that embed, override or isolate a writing direction.
  static func escaped(_ text: String, showsTricky: Bool = true) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if let reference = scalar.htmlReference {
        result += reference
      } else if showsTricky, isTricky(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The credit line of a map from a file, which may contain HTML, as HTML that is safe: its text
  /// and its links to http and https.
  ///
  /// Viewers of maps insert it into their pages as it is. Other tags are dropped, and what is not
  /// a whole tag is text.
  static func credit(_ markup: String) -> String {
    var result = ""
    var isInLink = false
    var rest = markup[...]
    while let found = rest.firstMatch(of: #/<(?:[A-Za-z]|[!\/?])[^<>]*>/#) {
      result += creditText(rest[..<found.range.lowerBound])
      rest = rest[found.range.upperBound...]
      let tag = found.output.dropFirst().dropLast()
      let name = tag.prefix { $0 != " " && !$0.isNewline && $0 != "\t" }.lowercased()
      if name == "br" || name == "br/" { result += " " }
      guard name == "a" || name == "/a" else { continue }
      if isInLink { result += "</a>" }
      let link = name == "a" ? webAddress(inTag: tag) : nil
      isInLink = link != nil
      if let link { result += "<a href=\"\(escaped(link))\" rel=\"noopener noreferrer\">" }
    }
    return result + creditText(rest) + (isInLink ? "</a>" : "")
  }

  /// The address that a link leads to; nil if it is none of the web.
  private static func webAddress(inTag tag: Substring) -> String? {
    let attribute = #/\s(?i:href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/#
    guard let found = tag.firstMatch(of: attribute)?.output else { return nil }
    let address = found.1 ?? found.2 ?? found.3 ?? ""
    return WebAddress(String(address.replacing("&amp;", with: "&")))?.text
  }

  /// A text between tags, escaped, with its character references.
  private static func creditText(_ text: Substring) -> String {
    var result = ""
    var rest = text
    while let found = rest.firstMatch(
      of: #/&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|[A-Za-z][A-Za-z0-9]{1,31});/#
    ) {
      result += escaped(String(rest[..<found.range.lowerBound]))
      rest = rest[found.range.upperBound...]
      let number = found.1.flatMap { UInt32($0) } ?? found.2.flatMap { UInt32($0, radix: 16) }
      let scalar = number.flatMap(Unicode.Scalar.init)
      result += number == nil ? String(found.0) : escaped(scalar.map(String.init) ?? "")
    }
    return result + escaped(String(rest))
  }

  /// Whether a text is an address that a click may open: http or https, without unusual characters.
  static func isWebAddress(_ text: String) -> Bool {
    let start = text.utf8.prefix(8).map(\.lowercased)
    guard start.starts(with: "http://".utf8) || start.starts(with: "https://".utf8) else {
      return false
    }
    return text.unicodeScalars.allSatisfy { $0.value > 0x20 && !isTricky($0) }
  }

  private static func isTricky(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: false
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

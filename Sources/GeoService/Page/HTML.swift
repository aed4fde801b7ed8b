import GeoQuery

/// A piece of HTML whose texts are escaped by type.
///
/// Literals are HTML. An interpolated `String` is text and is escaped; an interpolated `HTML` is
/// not. So text from outside gets into a page through `HTMLText` only. Attributes are always in
/// double quotes.
struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// The source.
  private(set) var source: String

  /// Makes HTML from a literal of the program.
  init(stringLiteral value: String) {
    source = value
  }

  init(stringInterpolation: StringInterpolation) {
    source = stringInterpolation.source
  }

  /// A text whose writing direction does not affect what follows it.
  static func text(_ text: String) -> HTML {
    let text: HTML = "<bdi>\(text)</bdi>"
    return text
  }

  /// The value of a form's field, which is sent as it is.
  static func fieldValue(_ text: String) -> HTML {
    var value: HTML = ""
    value.source = HTMLText.fieldValue(text)
    return value
  }

  /// A paragraph with the credits of the sources; nil if there are none.
  static func credit(_ credits: Credits) -> HTML? {
    guard let source = credits.html else { return nil }
    var html: HTML = ""
    html.source = "<p>Data: \(source)</p>\n"
    return html
  }

  /// A whole document: what all pages have, and a body.
  ///
  /// - Parameters:
  ///   - title: Plain text.
  ///   - policy: What the page may load, if it is to be in the page as well.
  ///   - style: The address of the stylesheet.
  ///   - head: Further lines of the head, each with its line break.
  ///   - attributes: Those of the body, each with a space before it.
  ///   - body: The contents of the body.
  /// - Returns: The document as UTF-8.
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
      <meta name="viewport" content="width=device-width, initial-scale=1">
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

  static func + (left: HTML, right: HTML) -> HTML {
    var sum = left
    sum.source += right.source
    return sum
  }

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

/// A piece of HTML whose texts are escaped by type.
///
/// Literals are HTML; an interpolated `String` is a text and gets escaped, an interpolated `HTML` does
/// not. So a text from outside has no way into a page but through `HTMLText`. Attributes always stand
/// between double quotes.
struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// The source.
  private(set) var source: String

  /// A piece of the program's own HTML.
  init(stringLiteral value: String) {
    source = value
  }

  init(stringInterpolation: StringInterpolation) {
    source = stringInterpolation.source
  }

  /// A text whose direction of writing ends with it.
  static func text(_ text: String) -> HTML {
    let text: HTML = "<bdi>\(text)</bdi>"
    return text
  }

  static func += (left: inout HTML, right: HTML) {
    left.source += right.source
  }

  /// Collects literals as they are and texts escaped.
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

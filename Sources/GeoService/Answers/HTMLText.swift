/// Escapes text from any origin for HTML.
enum HTMLText {
  /// A text escaped for use between tags and in quoted attributes.
  ///
  /// Characters that would change the text around them are shown as `\u{…}`: control characters,
  /// and those that embed, override or isolate a writing direction.
  static func escaped(_ text: String) -> String { escaped(text, showsTricky: true) }

  /// A text escaped as the value of a form's field, which sends back the same text.
  ///
  /// A field is isolated from the text around it, so all characters stay as they are.
  static func fieldValue(_ text: String) -> String { escaped(text, showsTricky: false) }

  private static func escaped(_ text: String, showsTricky: Bool) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where showsTricky && isTricky(scalar):
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A text whose writing direction does not affect what follows it.
  static func isolated(_ text: String) -> String { "<bdi>\(escaped(text))</bdi>" }

  /// Whether a text is an address that a click may open: http or https, without unusual characters.
  static func isWebAddress(_ text: String) -> Bool {
    let start = text.utf8.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
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

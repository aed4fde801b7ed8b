import GeoQuery

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

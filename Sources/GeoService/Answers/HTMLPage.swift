import GeoQuery

/// A resource for a person's browser: all that its JSON says, and every link as `<a>` (/req/html).
///
/// Plain HTML without scripts and styles. Every text goes through `escaped`, whoever wrote it.
struct HTMLPage {
  private var html = ""

  /// The page of a JSON answer.
  static func bytes(of json: [UInt8], title: String) -> [UInt8] {
    var page = HTMLPage()
    if let value = try? JSONValue(parsing: json) {
      page.write(value)
    } else {
      // nested deeper than the reader goes: as it is, but never unescaped
      page.html = "<pre>\(escaped(String(decoding: json, as: UTF8.self)))</pre>"
    }
    return bytes(title: title, body: page.html)
  }

  /// A whole document.
  ///
  /// - Parameters:
  ///   - title: Plain text.
  ///   - body: HTML.
  /// - Returns: The document as UTF-8.
  static func bytes(title: String, body: String) -> [UInt8] {
    let title = escaped(title)
    return Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
      <title>\(title)</title></head>
      <body>
      <nav><a href="/?f=html">geoq</a> · <a href="/collections?f=html">collections</a> · \
      <a href="/collections/restaurants/items?f=html">restaurants</a> · <a href="/api.html">api</a></nav>
      <h1>\(title)</h1>
      \(body)
      </body>
      </html>

      """.utf8
    )
  }

  /// A text as it may stand in HTML, between tags and in quoted attributes.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\0": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private mutating func write(_ value: JSONValue, name: String = "") {
    switch value {
    case .object(let members):
      html += "<dl>"
      for member in members {
        html += "<dt>\(Self.escaped(member.name))</dt><dd>"
        write(member.value, name: member.name)
        html += "</dd>\n"
      }
      html += "</dl>"
    case .array(let values):
      if values.allSatisfy(\.isNumber) {
        html += values.map { Self.escaped($0.description) }.joined(separator: ", ")
        return
      }
      html += name == "features" ? "<ol>" : "<ul>"
      for value in values {
        html += "<li>"
        if name == "links" { writeLink(value) } else { write(value) }
        html += "</li>\n"
      }
      html += name == "features" ? "</ol>" : "</ul>"
    case .string(let text): writeText(text)
    default: html += Self.escaped(value.description)
    }
  }

  /// Only web addresses become links: a feed can write `javascript:` as well.
  private mutating func writeText(_ text: String) {
    let lower = text.lowercased()
    guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else {
      html += Self.escaped(text)
      return
    }
    html += "<a href=\"\(Self.escaped(text))\" rel=\"noopener nofollow\">\(Self.escaped(text))</a>"
  }

  private mutating func writeLink(_ link: JSONValue) {
    guard case .string(let address)? = link[name: "href"],
      case .string(let relation)? = link[name: "rel"]
    else { return write(link) }
    var words = [relation]
    for name in ["type", "title"] {
      if case .string(let text)? = link[name: name] { words.append(text) }
    }
    html += "<a href=\"\(Self.escaped(address))\" rel=\"\(Self.escaped(relation))\">"
    html += "\(Self.escaped(words.joined(separator: " · ")))</a>"
  }
}

extension JSONValue {
  fileprivate var isNumber: Bool {
    if case .number = self { true } else { false }
  }
}

/// Who is to be named where the data of a source is shown, and its license.
public struct Credit: Sendable, Hashable {
  /// The maximum length of each text in bytes.
  public static let maximumLength = 500

  /// Plain text, such as `© OpenStreetMap contributors`.
  public let attribution: String?

  /// An identifier of the SPDX list, another name, or the address of the license's text.
  public let license: String?

  /// A credit; texts that are empty or not valid count as missing.
  public init(attribution: String? = nil, license: String? = nil) {
    func usable(_ text: String?) -> String? {
      text.flatMap { $0.isEmpty || !Self.isValid($0) ? nil : $0 }
    }
    self.attribution = usable(attribution)
    self.license = usable(license)
  }

  /// Whether a text can be an attribution or a license: one line without characters that change the
  /// direction of writing.
  public static func isValid(_ text: String) -> Bool {
    text.utf8.count <= maximumLength
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
      }
  }

  /// OpenStreetMap's, as its copyright page asks for.
  public static let openStreetMap = Credit(
    attribution: "© OpenStreetMap contributors",
    license: "ODbL-1.0"
  )

  /// The page of an attribution or a license: the text itself if it is an address of the web, or a known one.
  public static func address(of text: String) -> String? {
    let start = text.utf8.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let isAddress = start.starts(with: "https://".utf8) || start.starts(with: "http://".utf8)
    if isAddress { return text.unicodeScalars.allSatisfy { $0.value > 0x20 } ? text : nil }
    return pages[text]
  }

  private static let pages = [
    "© OpenStreetMap contributors": "https://www.openstreetmap.org/copyright",
    "Apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC-BY-SA-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "CDLA-Permissive-2.0": "https://cdla.dev/permissive-2-0/",
    "ODbL-1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
    "ODC-By-1.0": "https://opendatacommons.org/licenses/by/1-0/",
    "PDDL-1.0": "https://opendatacommons.org/licenses/pddl/1-0/",
  ]
}

/// The credits of several sources, each text once.
public struct Credits: Sendable, Hashable {
  /// The attributions.
  public let attributions: [String]

  /// The licenses.
  public let licenses: [String]

  /// The credits as HTML, with the licenses in parentheses and links to their pages; nil without any.
  ///
  /// Viewers of maps insert it as it is (TileJSON 3.0 §3.2). Made once: each answer's tag has it.
  public let html: String?

  /// When an import last changed each source of restaurants (RFC 3339), by its name.
  package var dates: [UTF8Key: String] = [:]

  /// No credits.
  public static let none = Credits([])

  /// The credits of sources, in their order.
  public init(_ credits: [Credit]) {
    func distinct(_ texts: [String]) -> [String] {
      var seen: Set<UTF8Key> = []
      return texts.filter { seen.insert(UTF8Key($0)).inserted }
    }
    attributions = distinct(credits.compactMap(\.attribution))
    licenses = distinct(credits.compactMap(\.license))
    html = Self.html(attributions, licenses)
  }

  /// Whether there is nothing to show.
  public var isEmpty: Bool { attributions.isEmpty && licenses.isEmpty }

  /// The attributions as one text; nil without any.
  public var attribution: String? {
    attributions.isEmpty ? nil : attributions.joined(separator: ", ")
  }

  /// The members `attribution` and `license` of a JSON object: foreign members in GeoJSON (RFC 7946 §6.1).
  package var members: [JSONMember] {
    var members: [JSONMember] = []
    members.add("attribution", attribution)
    members.add("license", licenses.isEmpty ? nil : licenses.joined(separator: ", "))
    return members
  }

  private static func html(_ attributions: [String], _ licenses: [String]) -> String? {
    func linked(_ texts: [String]) -> String {
      texts.map { text in
        guard let address = Credit.address(of: text) else { return escaped(text) }
        return "<a href=\"\(escaped(address))\" rel=\"noopener noreferrer\">\(escaped(text))</a>"
      }.joined(separator: ", ")
    }
    let names = linked(attributions)
    if licenses.isEmpty { return names.isEmpty ? nil : names }
    return names.isEmpty ? "License: " + linked(licenses) : "\(names) (\(linked(licenses)))"
  }

  private static func escaped(_ text: String) -> String {
    // by scalars, because a mark may follow a quote
    text.unicodeScalars.map { $0.htmlReference ?? String($0) }.joined()
  }
}

extension Unicode.Scalar {
  /// What stands for it in HTML, between tags and in quoted attributes; nil if it stands for itself.
  package var htmlReference: String? {
    switch self {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "'": "&#39;"
    default: nil
    }
  }
}

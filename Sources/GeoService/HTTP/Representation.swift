import GeoQuery

/// The format of an answer.
enum Representation: Int, Hashable, Sendable, CaseIterable {
  case json
  case geojson
  case html
  /// The tool's CSV, in which formulas are defused.
  case csv
  case openAPI
  case prometheus
  case schema
  case icon
  case style
  case script
  case tile
  case image
  /// Tiles of a file, which determines their format.
  case anyTile

  private struct MediaType: Sendable {
    let plain: String
    let whole: String

    /// The types in an `Accept` that match it, in lower case and without parameters.
    let accepted: [String]

    init(_ plain: String, _ parameters: String = "", or others: [String] = []) {
      self.plain = plain
      whole = plain + parameters
      accepted = [plain.prefix { $0 != ";" }.description] + others
    }
  }

  private static let types = allCases.map(\.declaration)

  private var declaration: MediaType {
    switch self {
    case .json: MediaType("application/json")
    case .geojson: MediaType("application/geo+json", or: ["application/json"])
    case .html: MediaType("text/html", "; charset=utf-8")
    case .csv: MediaType("text/csv", "; charset=utf-8; header=present")
    case .openAPI:
      MediaType(
        "application/vnd.oai.openapi+json;version=3.0",
        or: ["application/openapi+json", "application/json"]
      )
    case .prometheus: MediaType("text/plain", "; version=0.0.4; charset=utf-8")
    case .schema: MediaType("application/schema+json", or: ["application/json"])
    case .icon: MediaType("image/x-icon", or: ["image/vnd.microsoft.icon"])
    case .style: MediaType("text/css", "; charset=utf-8")
    case .script: MediaType("text/javascript", "; charset=utf-8", or: ["application/javascript"])
    case .tile: MediaType("application/vnd.mapbox-vector-tile", or: Self.tiles)
    // the content of the answer determines which one
    case .image: MediaType("image/*", or: Self.images + ["image/gif", "image/svg+xml"])
    case .anyTile:
      MediaType(
        "*/*",
        or: ["application/vnd.mapbox-vector-tile", "image/avif"] + Self.tiles + Self.images
      )
    }
  }

  private static let tiles = ["application/x-protobuf", "application/octet-stream"]
  private static let images = ["image/png", "image/jpeg", "image/webp"]

  /// The media type, with its parameters.
  var mediaType: String { Self.types[rawValue].whole }

  /// The media type as in links and in texts for people.
  var plainType: String { Self.types[rawValue].plain }

  fileprivate var acceptedTypes: [String] { Self.types[rawValue].accepted }

  /// The value of `f`; nil if there is no choice.
  var formatName: String { self == .html ? "html" : self == .csv ? "csv" : "json" }

  /// The value of `f` at a resource: GeoJSON has its own name if the resource has other JSON too.
  func formatName(among offers: [Representation]) -> String {
    self == .geojson && offers.contains(.json) ? "geojson" : formatName
  }
}

/// Content negotiation (RFC 9110 §12): `f` overrides `Accept`, and a client that accepts anything
/// gets the first representation.
enum Negotiation {
  /// The representation that a request wants, of offers with the preferred one first.
  ///
  /// - Throws: `Problem` 406 if none is acceptable.
  static func choose(
    from offers: [Representation],
    format: String?,
    accept: String?
  ) throws -> Representation {
    if let format,
      let offer = offers.first(where: { $0.formatName(among: offers) == format })
    {
      return offer
    }
    guard let accept, let first = offers.first else { return offers[0] }
    if accept == "*/*" { return first }
    let ranges = accept.split(separator: ",").compactMap { AcceptRange($0) }
    if ranges.isEmpty { return first }
    let ranked = offers.map { offer in (offer, quality(of: offer, ranges)) }
    guard let best = ranked.map(\.1).max(), best > 0 else {
      throw Problem.notAcceptable(offers.map(\.plainType).joined(separator: ", "))
    }
    return ranked.first { $0.1 == best }?.0 ?? first
  }

  /// The quality value of an offer, from the most specific range that matches it.
  private static func quality(of offer: Representation, _ ranges: [AcceptRange]) -> Double {
    let fitting = ranges.filter { range in
      offer.acceptedTypes.contains { range.includes($0) }
    }
    let exactness = fitting.map(\.exactness).max()
    return fitting.filter { $0.exactness == exactness }.map(\.quality).max() ?? 0
  }
}

private struct AcceptRange {
  let type: String
  let quality: Double

  init?(_ text: Substring) {
    let parts = text.split(separator: ";").map { String($0).trimmingBlanks.lowercased() }
    guard let type = parts.first, type.contains("/") else { return nil }
    self.type = type
    let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
    quality = weight.flatMap { DecimalText.number(String($0.dropFirst(2))) } ?? 1
  }

  var exactness: Int { type == "*/*" ? 0 : type.hasSuffix("/*") ? 1 : 2 }

  func includes(_ other: String) -> Bool {
    switch exactness {
    case 0: true
    case 1: other.hasPrefix(type.dropLast())
    default: other == type
    }
  }
}

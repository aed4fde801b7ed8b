import GeoQuery
import HTTPTypes

/// A strong validator (RFC 9110 §8.8.3).
struct EntityTag: Hashable, Sendable {
  /// The tag with its quotes.
  let text: String
}

extension EntityTag {
  /// Whether an `If-None-Match` contains this tag; a `W/` prefix is ignored there.
  func isNamed(in field: String?) -> Bool {
    (field ?? "").split(separator: ",").contains { entry in
      let entry = String(entry).trimmingBlanks
      return entry == "*" || (entry.hasPrefix("W/") ? String(entry.dropFirst(2)) : entry) == text
    }
  }
}

extension RequestContext {
  /// The tag of the answer, known before it is made: the generation, and a hash of everything else that
  /// determines the bytes; nil for answers that change without new data.
  func tag(isCompressed: Bool) -> EntityTag? {
    guard endpoint.hasTag, request.method != .post else { return nil }
    let favorites = favoriteIDs.map { StableHash.text(of: ["favorites"] + $0) }
    let isOfOffers = endpoint.dependencies.contains(.offers)
    let isOfBasemap = endpoint.feature == .basemap
    // representations of one address have different parts, so a hash distinguishes them
    let parts =
      [
        settings.version, "\(generation.edition)", links.base, request.target,
        representation.mediaType, isCompressed ? "gzip" : "", timeStamp ?? "",
        favorites ?? "", isOfOffers ? "\(generation.book.revision) \(day)" : "",
        isOfBasemap ? settings.basemap?.info.identity ?? "" : "",
      ] + resolved + (generation.credits.html.map { [$0] } ?? [])
    return EntityTag(text: "\"\(generation.number)-\(StableHash.text(of: parts))\"")
  }
}

/// A hash that is the same in every run and on every machine, in 16 hexadecimal digits.
///
/// It is for detecting changes, not for texts that are made to collide.
enum StableHash {
  static func text(of bytes: [UInt8]) -> String {
    let hash = bytes.withUnsafeBytes { SipHash.short($0, key: .init(low: 0, high: 0)) }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// The hash of some texts.
  static func text(of parts: [String]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parts.reduce(0) { $0 + $1.utf8.count + 1 })
    for part in parts {
      bytes.append(contentsOf: part.utf8)
      // no text contains this byte, so that ("a", "b") and ("ab", "") differ
      bytes.append(0xFF)
    }
    return text(of: bytes)
  }
}

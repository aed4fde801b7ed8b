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
    let isOfBasemap = endpoint.dependencies.contains(.basemap)
    // representations of one address have different parts, so a hash distinguishes them
    let parts =
      [
        settings.version, "\(generation.edition)", links.base, request.target,
        representation.mediaType, isCompressed ? "gzip" : "", timeStamp ?? "",
        favorites ?? "", isOfOffers ? "\(generation.book.revision) \(day)" : "",
        isOfBasemap ? settings.basemap?.info.identity ?? "" : "", parameters.text(.open) ?? "",
        areaDigest,
      ] + (generation.credits.html.map { [$0] } ?? [])
    return EntityTag(text: "\"\(generation.number)-\(StableHash.text(of: parts))\"")
  }
}

/// A hash that is the same in every run and on every machine: FNV-1a, 64 bits.
///
/// It is for detecting changes, not for texts that are made to collide.
struct StableHash {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ text: String) {
    var (text, hash) = (text, hash)
    text.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    // no text contains this byte, so that ("a", "b") and ("ab", "") differ
    self.hash = (hash ^ 0xFF) &* 0x100_0000_01B3
  }

  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// The hash in 16 hexadecimal digits.
  var text: String {
    String(unsafeUninitializedCapacity: 16) { digits in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: hash >> UInt64(60 - 4 * index)) & 15
        digits[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
      }
      return 16
    }
  }

  /// The hash of some texts.
  static func text(of parts: [String]) -> String {
    var hash = StableHash()
    for part in parts { hash.add(part) }
    return hash.text
  }
}

import GeoQuery
import HTTPTypes

/// A strong validator (RFC 9110 §8.8.3): the generation, and a hash of everything that determines
/// the bytes.
struct EntityTag: Hashable, Sendable {
  /// The tag with its quotes.
  let text: String
}

extension EntityTag {
  /// Makes the tag of an answer.
  ///
  /// - Parameters:
  ///   - generation: The number of the generation.
  ///   - parts: Everything else that the bytes depend on.
  init(generation: Int, _ parts: [String]) {
    // representations of one address have different parts, so a hash distinguishes them
    text = "\"\(generation)-\(StableHash.text(of: parts))\""
  }

  /// Whether an `If-None-Match` contains this tag; a `W/` prefix is ignored there.
  func isNamed(in field: String?) -> Bool {
    (field ?? "").split(separator: ",").contains { entry in
      let entry = String(entry).trimmingBlanks
      return entry == "*" || (entry.hasPrefix("W/") ? String(entry.dropFirst(2)) : entry) == text
    }
  }
}

/// The validator of an answer, known before the answer is made; nil for answers that change without
/// new data.
struct Validators: Sendable {
  let tag: EntityTag?

  init(_ context: RequestContext, version: String, isCompressed: Bool) {
    guard context.endpoint.hasTag, context.request.method != .post else {
      tag = nil
      return
    }
    tag = EntityTag(
      generation: context.generation.number,
      [
        version, "\(context.generation.edition)", context.links.base, context.request.target,
        context.representation.mediaType, isCompressed ? "gzip" : "", context.timeStamp ?? "",
        context.favoriteRevision, context.offersRevision, context.basemapIdentity,
        context.parameters.text(.open) ?? "", context.areaDigest,
      ] + (context.generation.credits.html.map { [$0] } ?? [])
    )
  }

  /// Whether the client already has these bytes.
  func isCurrent(_ request: ServiceRequest) -> Bool {
    tag?.isNamed(in: request.fields[.ifNoneMatch]) ?? false
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

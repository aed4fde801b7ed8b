/// A strong validator (RFC 9110 §8.8.3): the generation, and a hash of all that decides the bytes.
struct EntityTag: Hashable, Sendable {
  /// The tag with its quotes.
  let text: String

  /// Makes the tag of an answer.
  ///
  /// - Parameters:
  ///   - generation: Which edition of the store.
  ///   - parts: Everything else that the bytes depend on.
  init(generation: Int, _ parts: [String]) {
    // of one address's representations no two share the parts, so a hash tells them apart
    text = "\"\(generation)-\(StableHash.text(of: parts))\""
  }

  /// Whether an `If-None-Match` names this tag; `W/` does not matter there.
  func isNamed(in field: String) -> Bool {
    field.split(separator: ",").contains { entry in
      let entry = trimmed(entry)
      return entry == "*" || (entry.hasPrefix("W/") ? String(entry.dropFirst(2)) : entry) == text
    }
  }
}

import HTTPTypes

/// A strong validator (RFC 9110 §8.8.3): the generation, and a hash of everything that determines
/// the bytes.
struct EntityTag: Hashable, Sendable {
  /// The tag with its quotes.
  let text: String

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
  func isNamed(in field: String) -> Bool {
    field.split(separator: ",").contains { entry in
      let entry = trimmed(entry)
      return entry == "*" || (entry.hasPrefix("W/") ? String(entry.dropFirst(2)) : entry) == text
    }
  }
}

/// The validator of an answer, known before the answer is made; nil for answers that change without
/// new data.
struct Validators: Sendable {
  /// The tag.
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
      ]
    )
  }

  /// Whether the client already has these bytes.
  func isCurrent(_ request: ServiceRequest) -> Bool {
    guard let tag, let field = request.fields[.ifNoneMatch] else { return false }
    return tag.isNamed(in: field)
  }
}

import HTTPTypes

/// The validator of an answer, known before the answer is made; nil for what changes by itself.
struct Validators: Sendable {
  /// The tag.
  let tag: EntityTag?

  init(_ asked: Asked, version: String, isCompressed: Bool) {
    guard asked.route.isCacheable, asked.request.method != .post else {
      tag = nil
      return
    }
    tag = EntityTag(
      generation: asked.generation.number,
      [
        version, "\(asked.generation.edition)", asked.links.base, asked.request.target,
        asked.representation.mediaType, isCompressed ? "gzip" : "", asked.timeStamp ?? "",
        asked.favoriteRevision, asked.offersRevision,
      ]
    )
  }

  /// Whether the client has these bytes already.
  func isCurrent(_ request: ServiceRequest) -> Bool {
    guard let tag, let field = request.fields[.ifNoneMatch] else { return false }
    return tag.isNamed(in: field)
  }
}

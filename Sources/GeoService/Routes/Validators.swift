import HTTPTypes

/// The validator of an answer, known before the answer is made; nil for answers that change without
/// new data.
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
        asked.favoriteRevision, asked.offersRevision, asked.basemapIdentity,
      ]
    )
  }

  /// Whether the client already has these bytes.
  func isCurrent(_ request: ServiceRequest) -> Bool {
    guard let tag, let field = request.fields[.ifNoneMatch] else { return false }
    return tag.isNamed(in: field)
  }
}

import HTTPTypes

/// The header fields of every answer, and the additional ones of HTML.
enum SecurityFields {
  /// The fields for a part of the lunch page.
  ///
  /// Its frame shows the site that the operator has named, never the service's own pages. The script
  /// asks that site whether it answers.
  /// Its forms must send their origin: without a referrer policy that allows it, browsers send the
  /// origin `null`.
  ///
  /// Images come from the service, and from the host of the operator's street map if there is one.
  static func lunchPage(_ settings: ServiceSettings) -> HTTPFields {
    let frames = settings.webHome?.origin
    let own = policy(images: settings.maps.basemap?.origin, connects: frames)
    let policy = ([own] + settings.frameAncestors).joined(separator: " ")
    var fields = common(policy + (frames.map { "; frame-src " + $0 } ?? ""))
    fields[.referrerPolicy] = "same-origin"
    fields[.resourcePolicy] = "same-origin"
    return fields
  }

  static let page = {
    var fields = common(policy(images: nil))
    fields[.resourcePolicy] = "same-origin"
    return fields
  }()

  /// The policy of pages; `frame-ancestors` stands last, so that origins can follow.
  private static func policy(images: String?, connects: String? = nil) -> String {
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
      + (images.map { " " + $0 } ?? "") + "; connect-src 'self'"
      + (connects.map { " " + $0 } ?? "")
      + "; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
  }

  /// The policy of an image that is opened by itself.
  static let imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

  static let data = common("default-src 'none'; frame-ancestors 'none'")

  private static func common(_ policy: String) -> HTTPFields {
    var fields: HTTPFields = [:]
    fields[.xContentTypeOptions] = "nosniff"
    fields[.referrerPolicy] = "no-referrer"
    fields[.contentSecurityPolicy] = policy
    return fields
  }
}

extension HTTPField.Name {
  static let referrerPolicy = fixed("Referrer-Policy")
  static let resourcePolicy = fixed("Cross-Origin-Resource-Policy")
  static let openerPolicy = fixed("Cross-Origin-Opener-Policy")
  /// `X-Geoq-Generation`: the generation that an answer is from.
  static let geoqGeneration = fixed("X-Geoq-Generation")
  /// `X-Geoq-Staleness`: for how many seconds the store may have had a newer edition.
  static let geoqStaleness = fixed("X-Geoq-Staleness")
  /// `X-Request-Id`: the id of the request in the log.
  static let requestID = fixed("X-Request-Id")
  /// `traceparent`: the request's place in a trace (W3C, Trace Context).
  static let traceParent = fixed("traceparent")
  /// `Host`: a second one; the first is the request's authority.
  static let hostField = fixed("Host")
  static let link = fixed("Link")
  static let fetchSite = fixed("Sec-Fetch-Site")
  static let forwardedFor = fixed("X-Forwarded-For")
  static let forwardedProto = fixed("X-Forwarded-Proto")
  static let forwardedHost = fixed("X-Forwarded-Host")
  static let forwardedPrefix = fixed("X-Forwarded-Prefix")

  private static func fixed(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else {
      preconditionFailure("A header's name must be a token.")
    }
    return name
  }
}

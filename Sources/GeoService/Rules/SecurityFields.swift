import HTTPTypes

/// The header fields that every answer has, and those that HTML has besides.
enum SecurityFields {
  /// The fields for an answer.
  static func fields(isHTML: Bool) -> HTTPFields {
    isHTML ? page : data
  }

  /// The fields for a part of the lunch page.
  ///
  /// Its frame shows the service's own pages. Its forms say that they are its own: without a referrer
  /// policy that lets them, browsers send the origin `null` with them.
  static let lunchPage: HTTPFields = {
    var fields = common(policy + "; frame-src 'self'")
    fields[.referrerPolicy] = "same-origin"
    return fields
  }()

  private static let page = common(policy)

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

  private static let data = common("default-src 'none'; frame-ancestors 'none'")

  private static func common(_ policy: String) -> HTTPFields {
    var fields: HTTPFields = [:]
    fields[.xContentTypeOptions] = "nosniff"
    fields[.referrerPolicy] = "no-referrer"
    fields[.contentSecurityPolicy] = policy
    return fields
  }
}

extension HTTPField.Name {
  /// `Referrer-Policy`.
  static let referrerPolicy = fixed("Referrer-Policy")
  /// `X-Geoq-Generation`: which edition of the store an answer is from.
  static let geoqGeneration = fixed("X-Geoq-Generation")
  /// `X-Request-Id`: what the log calls the request.
  static let requestID = fixed("X-Request-Id")
  /// `Host`: a second one; the first is the request's authority.
  static let hostField = fixed("Host")
  /// `Link`.
  static let link = fixed("Link")
  /// `Sec-Fetch-Site`.
  static let fetchSite = fixed("Sec-Fetch-Site")
  /// `X-Forwarded-For`.
  static let forwardedFor = fixed("X-Forwarded-For")
  /// `X-Forwarded-Proto`.
  static let forwardedProto = fixed("X-Forwarded-Proto")
  /// `X-Forwarded-Host`.
  static let forwardedHost = fixed("X-Forwarded-Host")
  /// `X-Forwarded-Prefix`.
  static let forwardedPrefix = fixed("X-Forwarded-Prefix")

  private static func fixed(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else {
      preconditionFailure("A header's name must be a token.")
    }
    return name
  }
}

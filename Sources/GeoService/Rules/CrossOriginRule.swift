import HTTPTypes

/// The other origins whose pages may read: none unless `--cors` names them.
package struct CrossOriginRule: Sendable {
  private let origins: Set<String>

  /// Makes a rule.
  ///
  /// - Parameter origins: Origins such as `https://maps.example`, or `*` for all.
  package init(origins: [String] = []) {
    self.origins = Set(origins)
  }

  /// Whether any page of another origin may read.
  var allowsAny: Bool { !origins.isEmpty }

  /// The header fields that allow a page to read an answer.
  ///
  /// - Parameter origin: The request's `Origin`; nil without one.
  /// - Returns: No fields if the page may not read it.
  func fields(for origin: String?) -> HTTPFields {
    guard !origins.isEmpty else { return [:] }
    var fields: HTTPFields = [:]
    if origins.contains("*") {
      fields[.accessControlAllowOrigin] = "*"
    } else {
      fields[.vary] = "Origin"
      guard let origin, origins.contains(origin) else { return fields }
      fields[.accessControlAllowOrigin] = origin
    }
    fields[.accessControlExposeHeaders] =
      "ETag, Link, X-Geoq-Generation, X-Geoq-Staleness, X-Request-Id"
    return fields
  }

  /// The header fields that answer a browser's preflight request.
  ///
  /// - Parameters:
  ///   - origin: The request's `Origin`.
  ///   - methods: The methods that read the resource.
  /// - Returns: No fields if the page may not send requests.
  func preflightFields(for origin: String?, methods: String) -> HTTPFields {
    var fields = fields(for: origin)
    guard fields[.accessControlAllowOrigin] != nil else { return fields }
    fields[.accessControlAllowMethods] = methods
    fields[.accessControlAllowHeaders] = "Content-Type, If-None-Match"
    fields[.accessControlMaxAge] = "600"
    return fields
  }
}

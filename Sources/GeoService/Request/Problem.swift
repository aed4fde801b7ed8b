import GeoQuery
import HTTPTypes

/// An error as the client gets it: RFC 9457 problem details, with the `code` that OGC API's exception
/// schema asks for.
///
/// What, where, what to do; never a path, a statement or an address.
struct Problem: Error, Hashable {
  /// The status.
  let status: HTTPResponse.Status

  /// A word for programs.
  let code: String

  /// One sentence for people.
  let detail: String

  /// The parameter that is wrong, if one is.
  var parameter: String?

  /// The methods that are allowed, for 405.
  var allow: String?

  /// Seconds until another try makes sense, for 503.
  var retryAfter: Int?

  /// Makes a problem.
  init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  /// A parameter whose value is wrong; the sentence follows the parameter's name.
  static func invalid(_ parameter: String, _ sentence: String) -> Problem {
    var problem = Problem(.badRequest, "InvalidParameterValue", "\(parameter): \(sentence)")
    problem.parameter = parameter
    return problem
  }

  /// The body, on behalf of a request.
  func body(requestID: String) -> [UInt8] {
    var json = JSONText()
    json.raw("{\"type\":\"about:blank\",\"title\":")
    json.string(status.reasonPhrase)
    json.raw(",\"status\":\(status.code),\"code\":")
    json.string(code)
    if let parameter {
      json.raw(",\"parameter\":")
      json.string(parameter)
    }
    json.raw(",\"detail\":")
    json.string(detail)
    json.raw(",\"requestId\":")
    json.string(requestID)
    json.raw("}\n")
    return json.bytes
  }
}

/// A piece of a request in an answer: short, and without what could play tricks where it is shown.
func quoted(_ text: String) -> String {
  "\"\(harmless(text.unicodeScalars.prefix(60)))\(text.unicodeScalars.count > 60 ? "…" : "")\""
}

/// A sentence that repeats a piece of a request, without what could play tricks where it is shown.
func harmless(_ text: String) -> String { harmless(text.unicodeScalars[...]) }

private func harmless(_ scalars: some Sequence<Unicode.Scalar>) -> String {
  scalars.map { scalar -> String in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      "\\u{\(String(scalar.value, radix: 16))}"
    default: String(scalar)
    }
  }.joined()
}

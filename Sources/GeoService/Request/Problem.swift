import GeoQuery
import HTTPTypes

/// An error as clients receive it: RFC 9457 problem details, with the `code` of OGC API's exception
/// schema.
///
/// It says what is wrong, where, and what to do; it never has a path, an SQL statement or an
/// address.
struct Problem: Error, Hashable {
  /// The status.
  let status: HTTPResponse.Status

  /// The code for programs.
  let code: String

  /// One sentence for people.
  let detail: String

  /// The wrong parameter, if there is one.
  var parameter: String?

  /// The methods that are allowed, for 405.
  var allow: String?

  /// Seconds after which to try again, for 503.
  var retryAfter: Int?

  /// Makes a problem.
  init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  /// A problem with a parameter's value; the sentence follows the parameter's name.
  static func invalid(_ parameter: String, _ sentence: String) -> Problem {
    var problem = Problem(
      .badRequest,
      "InvalidParameterValue",
      complaint(about: parameter, sentence)
    )
    problem.parameter = parameter
    return problem
  }

  /// The body for a request.
  func body(requestID: String) -> [UInt8] {
    var json = JSONWriter()
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

/// A quoted part of a request: shortened, and without characters that affect what is around it.
func quoted(_ text: String) -> String {
  "\"\(harmless(text.unicodeScalars.prefix(60)))\(text.unicodeScalars.count > 60 ? "…" : "")\""
}

/// A sentence that quotes a request, without characters that affect what is around it.
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

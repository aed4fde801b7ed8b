import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// An error as clients receive it: RFC 9457 problem details, with the `code` of OGC API's exception
/// schema.
///
/// It says what is wrong, where, and what to do; it never has a path, an SQL statement or an
/// address.
struct Problem: Error, Hashable {
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

  /// Without a code, it is the words of the status.
  init(_ status: HTTPResponse.Status, code: String? = nil, _ detail: String) {
    self.status = status
    self.code = code ?? status.reasonPhrase.filter { $0 != " " }
    self.detail = detail
  }

  /// There is no such resource.
  static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

  static func noRestaurant(_ id: String) -> Problem {
    notFound("there is no restaurant \(quoted(id))")
  }

  /// A problem with the body of a request.
  static func invalidBody(_ detail: String) -> Problem { badRequest("InvalidBody", detail) }

  private static func badRequest(_ code: String, _ detail: String) -> Problem {
    Problem(.badRequest, code: code, detail)
  }

  /// A problem with a parameter's value; the sentence follows the parameter's name.
  static func invalid(_ parameter: String, _ sentence: String) -> Problem {
    var problem = badRequest("InvalidParameterValue", complaint(about: parameter, sentence))
    problem.parameter = parameter
    return problem
  }

  /// The body for a request.
  func body(requestID: String) -> [UInt8] {
    JSONValue.document([
      "type": "about:blank", "title": .string(status.reasonPhrase), "status": .init(status.code),
      "code": .string(code), "parameter": parameter.map(JSONValue.string),
      "detail": .string(detail), "requestId": .string(requestID),
    ])
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

/// The problems that stand for themselves.
extension Problem {
  static let targetTooLong = Problem(
    .uriTooLong,
    "the address is longer than \(RequestTarget.maximumLength) bytes; send fewer parameters"
  )
  static let badTarget = badRequest(
    "InvalidRequestTarget",
    "the address must begin with / and hold printable ASCII only; percent-encode the rest"
  )
  static let brokenEscape = badRequest(
    "InvalidRequestTarget",
    "a percent escape in the address is broken, is not UTF-8 or stands for NUL; write %25 for %"
  )
  static let missingHost = badRequest("InvalidHost", "the request needs exactly one Host header")
  static let foreignHost = Problem(
    .misdirectedRequest,
    code: "ForeignHost",
    "this service does not answer for that host; its operator can allow the host with --allow-host"
  )
  static let unknownPath = notFound("there is no such resource; / lists the resources")
  static let noTile = notFound(
    "there is no such tile: zooms are 0 to \(TileAddress.maximumZoom), columns and rows of zoom z are "
      + "0 to 2^z - 1"
  )

  // MARK: The message

  static let headTooLarge = Problem(
    .requestHeaderFieldsTooLarge,
    code: "HeaderTooLarge",
    "a request's head has at most \(ServiceLimits.headerLength) bytes and "
      + "\(ServiceLimits.headerCount) fields; send less"
  )
  static let slowHead = Problem(
    .requestTimeout,
    "the request's head took longer than \(ServiceLimits.headSeconds) s; send it faster"
  )
  static let badHeader = badRequest(
    "InvalidHeader",
    "header fields that the service reads must be ASCII"
  )
  static let badMessage = badRequest("InvalidMessage", "this is not a valid HTTP/1.1 message")
  static let unknownVersion = Problem(
    .httpVersionNotSupported,
    code: "UnsupportedVersion",
    "the service speaks HTTP/1.1"
  )
  static let unknownCoding = Problem(
    .notImplemented,
    code: "UnsupportedTransferEncoding",
    "the only transfer coding that the service reads is chunked"
  )

  // MARK: The body

  static func bodyTooLarge(_ limit: Int) -> Problem {
    Problem(.contentTooLarge, "the body may have at most \(limit) bytes")
  }
  static let endlessBody = Problem(
    .contentTooLarge,
    "the Content-Length is larger than any body that the service reads"
  )
  static let crumbledBody = invalidBody(
    "the body comes in too many small pieces; send larger ones"
  )
  static let requestTimeout = Problem(
    .requestTimeout,
    "the body took longer than \(ServiceLimits.bodySeconds) s, or stopped; send it faster"
  )
  static let encodedBody = Problem(
    .unsupportedMediaType,
    code: "UnsupportedContentEncoding",
    "send the body without a Content-Encoding"
  )
  static let notJSON = Problem(
    .unsupportedMediaType,
    "send the body with Content-Type: application/json"
  )
  static let notForm = Problem(
    .unsupportedMediaType,
    "send the form with Content-Type: application/x-www-form-urlencoded"
  )
  static let brokenForm = invalidBody(
    "the form has a missing or invalid field; load the page again"
  )
  static let unwantedBody = invalidBody("a favorite has only an id; send no body, or {}")

  // MARK: Permission, methods and time

  static let crossOrigin = Problem(
    .forbidden,
    code: "CrossOriginWrite",
    "a page of another origin may not write here"
  )
  static let unauthorized = Problem(
    .unauthorized,
    "this needs the service's token: open the address that geoq serve printed, or send the header "
      + "Authorization: Bearer TOKEN"
  )

  static func notAllowed(_ methods: String) -> Problem {
    var problem = Problem(.methodNotAllowed, "this resource takes \(methods) only")
    problem.allow = methods
    return problem
  }

  static func notAcceptable(_ types: String) -> Problem {
    Problem(.notAcceptable, "this resource comes as \(types) only")
  }

  static func busy(_ detail: String) -> Problem {
    var problem = Problem(.serviceUnavailable, code: "Busy", detail)
    problem.retryAfter = 1
    return problem
  }

  /// A bug; the log has the details under the request's id.
  static let internalError = Problem(
    .internalServerError,
    code: "InternalError",
    "the service failed; its log has the details under this request's id"
  )
}

/// The one mapping from failures to a status.
extension Problem {
  /// Maps any error; nil for a bug.
  init?(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as QueryError: self.init(error)
    case is QueryTimeout:
      self = .busy(
        "the query took longer than \(ServiceLimits.querySeconds) s, including waiting; request less, or try again"
      )
    case let error as StoreError where error.kind == .busy:
      self = .busy("another program is writing to the database; try again")
    case let error as StoreError where error.kind == .inputOutput || error.kind == .permission:
      self = .busy("the data cannot be read or written at the moment; try again later")
    case is StoreError, is SnapshotError:
      self = .busy("the data cannot be read at the moment; try again later")
    default: return nil
    }
  }

  /// Maps a query's error to the parameter that caused it.
  init(_ error: QueryError) {
    let names = ["where": "filter", "sort": "sortby", "facets": "by"]
    self = .invalid(names[error.parameter] ?? error.parameter, harmless(error.reason))
  }
}

extension [JSONMember] {
  /// The members of a request's body, an object.
  ///
  /// - Throws: `Problem` 400 if it is something else, or has other members.
  init(body: [UInt8], expected: String, _ known: [String]) throws {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body)
    } catch {
      throw Problem.invalidBody("the body is not JSON: \(error)")
    }
    guard case .object(let members) = value else {
      throw Problem.invalidBody("the body must be an object with \(expected)")
    }
    let other = members.first { member in !known.contains { $0.isUTF8Equal(to: member.name) } }
    if let other {
      throw Problem.invalidBody(
        "unknown member \(quoted(other.name)); known: \(known.joined(separator: ", "))"
      )
    }
    self = members
  }
}

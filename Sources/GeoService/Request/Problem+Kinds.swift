import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// The one mapping from failures to a status.
extension Problem {
  static let targetTooLong = Problem(
    .uriTooLong,
    "URITooLong",
    "the address is longer than \(RequestTarget.maximumLength) bytes; send fewer parameters"
  )

  static let badTarget = Problem(
    .badRequest,
    "InvalidRequestTarget",
    "the address must begin with / and hold printable ASCII only; percent-encode the rest"
  )

  static let headTooLarge = Problem(
    .requestHeaderFieldsTooLarge,
    "HeaderTooLarge",
    "a request's head has at most \(ServiceLimits.headerLength) bytes and "
      + "\(ServiceLimits.headerCount) fields; send less"
  )

  static let slowHead = Problem(
    .requestTimeout,
    "RequestTimeout",
    "the request's head took longer than \(ServiceLimits.headSeconds) s; send it faster"
  )

  static let badHeader = Problem(
    .badRequest,
    "InvalidHeader",
    "header fields that the service reads must be ASCII"
  )

  static let badMessage = Problem(
    .badRequest,
    "InvalidMessage",
    "this is not a valid HTTP/1.1 message"
  )

  static let crumbledBody = Problem(
    .badRequest,
    "InvalidBody",
    "the body comes in too many small pieces; send larger ones"
  )

  static let unknownVersion = Problem(
    .httpVersionNotSupported,
    "UnsupportedVersion",
    "the service speaks HTTP/1.1"
  )

  static let unknownCoding = Problem(
    .notImplemented,
    "UnsupportedTransferEncoding",
    "the only transfer coding that the service reads is chunked"
  )

  static let noTile = Problem(
    .notFound,
    "NotFound",
    "there is no such tile: zooms are 0 to \(TileAddress.maximumZoom), columns and rows of zoom z are "
      + "0 to 2^z - 1"
  )

  static let brokenEscape = Problem(
    .badRequest,
    "InvalidRequestTarget",
    "a percent escape in the address is broken, is not UTF-8 or stands for NUL; write %25 for %"
  )

  static let missingHost = Problem(
    .badRequest,
    "InvalidHost",
    "the request needs exactly one Host header"
  )

  static let foreignHost = Problem(
    .misdirectedRequest,
    "ForeignHost",
    "this service does not answer for that host; its operator can allow the host with --allow-host"
  )

  static let unknownPath = Problem(
    .notFound,
    "NotFound",
    "there is no such resource; / lists the resources"
  )

  static func bodyTooLarge(_ limit: Int) -> Problem {
    Problem(.contentTooLarge, "ContentTooLarge", "the body may have at most \(limit) bytes")
  }

  static let endlessBody = Problem(
    .contentTooLarge,
    "ContentTooLarge",
    "the Content-Length is larger than any body that the service reads"
  )

  static let encodedBody = Problem(
    .unsupportedMediaType,
    "UnsupportedContentEncoding",
    "send the body without a Content-Encoding"
  )

  static let notJSON = Problem(
    .unsupportedMediaType,
    "UnsupportedMediaType",
    "send the body with Content-Type: application/json"
  )

  static let notForm = Problem(
    .unsupportedMediaType,
    "UnsupportedMediaType",
    "send the form with Content-Type: application/x-www-form-urlencoded"
  )

  static let brokenForm = Problem(
    .badRequest,
    "InvalidBody",
    "the form has a missing or invalid field; load the page again"
  )

  static let requestTimeout = Problem(
    .requestTimeout,
    "RequestTimeout",
    "the body took longer than \(ServiceLimits.bodySeconds) s, or stopped; send it faster"
  )

  static let crossOrigin = Problem(
    .forbidden,
    "CrossOriginWrite",
    "a page of another origin may not write here"
  )

  static let unwantedBody = Problem(
    .badRequest,
    "InvalidBody",
    "a favorite has only an id; send no body, or {}"
  )

  static let unauthorized = Problem(
    .unauthorized,
    "Unauthorized",
    "this needs the service's token: open the address that geoq serve printed, or send the header "
      + "Authorization: Bearer TOKEN"
  )

  static func notAllowed(_ methods: String) -> Problem {
    var problem = Problem(
      .methodNotAllowed,
      "MethodNotAllowed",
      "this resource takes \(methods) only"
    )
    problem.allow = methods
    return problem
  }

  static func notAcceptable(_ types: String) -> Problem {
    Problem(.notAcceptable, "NotAcceptable", "this resource comes as \(types) only")
  }

  static func busy(_ detail: String) -> Problem {
    var problem = Problem(.serviceUnavailable, "Busy", detail)
    problem.retryAfter = 1
    return problem
  }

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
    case is StoreError: self = .busy("the data cannot be read at the moment; try again later")
    case is SnapshotError:
      self = .busy("the data cannot be read at the moment; try again later")
    default: return nil
    }
  }

  /// Maps a query's error to the parameter that caused it.
  init(_ error: QueryError) {
    let names = ["where": "filter", "sort": "sortby", "facets": "by"]
    self = .invalid(names[error.parameter] ?? error.parameter, harmless(error.reason))
  }

  /// A bug; the log has the details under the request's id.
  static let internalError = Problem(
    .internalServerError,
    "InternalError",
    "the service failed; its log has the details under this request's id"
  )
}

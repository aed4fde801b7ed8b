import GeoQuery
import HTTPTypes

/// Turns answers into responses: common header fields, compression, errors.
struct ResponseWriting: Sendable {
  let request: ServiceRequest
  let service: RestaurantService
  let generation: ServedGeneration

  /// The age of the generation if it is known not to be the newest.
  var staleness: Duration?

  /// Whether the answer is for this client alone, so that pages of other origins may never read it.
  var isPrivate = false

  private var settings: ServiceSettings { service.settings }

  /// Whether the client accepts gzip.
  var acceptsGzip: Bool { Gzip.isAccepted(by: request.fields[.acceptEncoding]) }

  /// The response with this body.
  func response(
    to asked: Asked,
    _ validators: Validators,
    _ made: Result<AnswerPlan.Body, any Error>
  ) -> ServiceResponse {
    do {
      let body = try made.get()
      if body.status != .ok {
        var response = empty(body.status, route: asked.route)
        response.fields[.setCookie] = body.cookie
        response.fields[.location] = body.location
        // an empty tile is a valid answer
        if asked.route.isTile {
          addCaching(asked, validators, to: &response.fields)
          response.hits = body.hits
        } else {
          response.fields[.cacheControl] = "no-store"
        }
        return response
      }
      var response = empty(.ok, route: asked.route, isHTML: asked.representation == .html)
      let type = body.type ?? asked.representation.mediaType
      response.fields.append(HTTPField(name: .contentType, value: type))
      if body.isRepeatable {
        addCaching(asked, validators, to: &response.fields)
      } else {
        // the next answer may be better, and a strong tag must not name different bytes
        response.fields[.cacheControl] = "no-store"
      }
      if let links = Link.field(body.links) {
        response.fields.append(HTTPField(name: .link, value: links))
      }
      response.hits = body.hits
      if let number = body.generation { response.fields[.geoqGeneration] = String(number) }
      response.body = rendered(body.bytes, asked)
      if let packed = body.packed {
        response.body = packed
        if packed.starts(with: [0x1F, 0x8B]) { response.fields[.contentEncoding] = "gzip" }
      } else {
        compress(&response)
      }
      return response
    } catch {
      return failure(error, route: asked.route)
    }
  }

  /// 304 (RFC 9110 §15.4.5).
  func notModified(_ asked: Asked, _ validators: Validators) -> ServiceResponse {
    let isHTML = asked.representation == .html
    var response = empty(.notModified, route: asked.route, isHTML: isHTML)
    addCaching(asked, validators, to: &response.fields)
    return response
  }

  /// 303 (RFC 9110 §15.4.4), with a cookie.
  func seeOther(_ address: String, cookie: String, from route: Route) -> ServiceResponse {
    var response = empty(.seeOther, route: route)
    response.fields[.location] = address
    response.fields[.setCookie] = cookie
    response.fields[.cacheControl] = "no-store"
    return response
  }

  /// The answer to `OPTIONS *`: what the whole server accepts.
  func serverOptions() -> ServiceResponse {
    var response = empty(.noContent, route: nil)
    let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete]
    response.fields[.allow] = Route.list(methods)
    return response
  }

  /// The answer to OPTIONS: what the resource accepts, for programs and for a browser's preflight.
  func options(_ route: Route) -> ServiceResponse {
    var response = empty(.noContent, route: route)
    response.fields[.allow] = route.allow
    if route.readingMethods.isEmpty { return response }
    let preflight = settings.crossOrigin.preflightFields(
      for: request.fields[.origin],
      methods: Route.list(route.readingMethods)
    )
    for field in preflight { response.fields[field.name] = field.value }
    return response
  }

  /// The response for an error.
  func failure(_ error: any Error, route: Route?) -> ServiceResponse {
    let problem = Problem(error) ?? .internalError
    let isOwnFault = problem.status.code >= 500
    let page = route?.isPage == false ? nil : pagePath
    var response = empty(problem.status, route: route, isHTML: page != nil)
    response.fields[.contentType] = "application/problem+json"
    response.fields[.cacheControl] = "no-store"
    response.fields[.allow] = problem.allow
    response.fields[.retryAfter] = problem.retryAfter.map(String.init)
    if problem.status == .unauthorized { response.fields[.wwwAuthenticate] = "Bearer" }
    // RFC 9110 §12.5.3: the codings that are accepted
    if problem == .encodedBody { response.fields[.acceptEncoding] = "identity" }
    if isOwnFault { response.cause = (error as? Problem)?.detail ?? "\(error)" }
    response.isFault = isOwnFault && !(error is Problem) && !(error is QueryTimeout)
    if let page {
      response.fields[.contentType] = Representation.html.mediaType
      response.body = PageShell.failure(problem, at: page)
    } else {
      response.body = problem.body(requestID: request.id)
    }
    return response
  }

  /// The path of the page that a browser asks for, whether or not it exists.
  private var pagePath: Substring? {
    guard let path = (try? RequestTarget(request.target))?.path,
      path == "/app" || path.hasPrefix("/app/"), Self.isForPerson(request)
    else { return nil }
    return path
  }

  /// Whether the request is a browser's for a page to show.
  private static func isForPerson(_ request: ServiceRequest) -> Bool {
    let offers = [Representation.json, .html]
    let accept = request.fields[.accept]
    return (try? Negotiation.choose(from: offers, format: nil, accept: accept)) == .html
  }

  func empty(
    _ status: HTTPResponse.Status,
    route: Route?,
    isHTML: Bool = false
  ) -> ServiceResponse {
    var fields =
      route?.isPage == true
      ? SecurityFields.lunchPage(settings) : SecurityFields.fields(isHTML: isHTML)
    // pages of other origins keep no hold of its window; on other addresses, browsers only complain of it
    if isHTML || route?.isPage == true, LinkBase.isTrustworthy(request, settings) {
      fields.append(HTTPField(name: .openerPolicy, value: "same-origin"))
    }
    // appended, because a subscript would index all fields
    fields.append(HTTPField(name: .geoqGeneration, value: String(generation.number)))
    if let staleness {
      let seconds = String(staleness.components.seconds)
      fields.append(HTTPField(name: .geoqStaleness, value: seconds))
    }
    fields.append(HTTPField(name: .requestID, value: request.id))
    if let trace = request.traceParent {
      fields.append(HTTPField(name: .traceParent, value: trace))
    }
    if settings.crossOrigin.allowsAny, route?.isPrivate != true, !isPrivate {
      for field in settings.crossOrigin.fields(for: request.fields[.origin]) {
        fields.append(field)
      }
    }
    return ServiceResponse(status: status, fields: fields, body: [], route: route?.path ?? "other")
  }

  private func addCaching(_ asked: Asked, _ validators: Validators, to fields: inout HTTPFields) {
    fields.append(HTTPField(name: .cacheControl, value: asked.caching))
    if let tag = validators.tag { fields.append(HTTPField(name: .eTag, value: tag.text)) }
    fields.append(HTTPField(name: .vary, value: "Accept, Accept-Encoding"))
  }

  private func rendered(_ bytes: [UInt8], _ asked: Asked) -> [UInt8] {
    let isPage = asked.route == .api || asked.route == .apiPage || asked.route.isPage
    guard asked.representation == .html, !isPage else { return bytes }
    return HTMLPage.bytes(of: bytes, title: asked.id ?? asked.route.title, asked.links)
  }

  private func compress(_ response: inout ServiceResponse) {
    guard acceptsGzip, response.body.count >= ServiceLimits.compressedLength,
      let compressed = Gzip.compressed(response.body)
    else { return }
    response.body = compressed
    response.fields[.contentEncoding] = "gzip"
  }
}

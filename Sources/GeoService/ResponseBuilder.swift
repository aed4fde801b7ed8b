import GeoQuery
import HTTPTypes

/// Builds responses from answers: common header fields, compression, errors.
struct ResponseBuilder: Sendable {
  let request: ServiceRequest
  let service: RestaurantService
  let generation: ServedGeneration

  /// The age of the generation if it is known not to be the newest.
  var staleness: Duration?

  /// Whether the answer is for this client alone, so that pages of other origins may never read it.
  var isPrivate = false

  /// Whether the client accepts answers compressed with gzip.
  let acceptsGzip: Bool

  init(request: ServiceRequest, service: RestaurantService, generation: ServedGeneration) {
    (self.request, self.service, self.generation) = (request, service, generation)
    acceptsGzip = Gzip.isAccepted(by: request.fields[.acceptEncoding])
  }

  private var settings: ServiceSettings { service.settings }

  func response(
    to context: RequestContext,
    _ tag: EntityTag?,
    _ made: Result<Work.Body, any Error>
  ) -> ServiceResponse {
    do {
      let body = try made.get()
      if body.status != .ok {
        var response = empty(body.status, endpoint: context.endpoint)
        response.fields[.setCookie] = body.cookie
        response.fields[.location] = body.location
        // an empty tile is a valid answer
        if context.endpoint.isTile {
          addCaching(context, tag, to: &response.fields)
          response.hits = body.hits
        } else {
          response.fields[.cacheControl] = "no-store"
        }
        return response
      }
      var response = empty(.ok, endpoint: context.endpoint, isHTML: context.representation == .html)
      let type = body.type ?? context.representation.mediaType
      response.fields.append(HTTPField(name: .contentType, value: type))
      if body.isRepeatable {
        addCaching(context, tag, to: &response.fields)
      } else {
        // the next answer may be better, and a strong tag must not name different bytes
        response.fields[.cacheControl] = "no-store"
      }
      if let links = Link.field(body.links, areInBody: context.representation != .csv) {
        response.fields.append(HTTPField(name: .link, value: links))
      }
      if context.representation == .csv {
        let name = context.endpoint == .offers ? "offers" : "restaurants"
        response.fields[.contentDisposition] = "attachment; filename=\"\(name).csv\""
      }
      response.hits = body.hits
      if let number = body.generation { response.fields[.geoqGeneration] = String(number) }
      response.body = rendered(body.bytes, context)
      if let packed = body.packed {
        response.body = packed
        if packed.starts(with: [0x1F, 0x8B]) { response.fields[.contentEncoding] = "gzip" }
      } else {
        compress(&response)
      }
      return response
    } catch {
      return failure(error, endpoint: context.endpoint)
    }
  }

  /// 304 (RFC 9110 §15.4.5).
  func notModified(_ context: RequestContext, _ tag: EntityTag) -> ServiceResponse {
    let isHTML = context.representation == .html
    var response = empty(.notModified, endpoint: context.endpoint, isHTML: isHTML)
    addCaching(context, tag, to: &response.fields)
    return response
  }

  /// 303 (RFC 9110 §15.4.4), with a cookie.
  ///
  /// It leads to the same page without the token.
  func seeOther(_ context: RequestContext, cookie: String) -> ServiceResponse {
    var response = empty(.seeOther, endpoint: context.endpoint)
    response.fields[.location] = context.links.address(context.endpoint.path)
    response.fields[.setCookie] = cookie
    response.fields[.cacheControl] = "no-store"
    return response
  }

  /// The answer to `OPTIONS *`: what the whole server accepts.
  func serverOptions() -> ServiceResponse {
    var response = empty(.noContent, endpoint: nil)
    let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete]
    response.fields[.allow] = Endpoint.list(methods)
    return response
  }

  /// The answer to OPTIONS: what the resource accepts, for programs and for a browser's preflight.
  func options(_ endpoint: Endpoint) -> ServiceResponse {
    var response = empty(.noContent, endpoint: endpoint)
    response.fields[.allow] = endpoint.allow
    if endpoint.isPrivate { return response }
    let origin = request.fields[.origin]
    let preflight = settings.crossOrigin.preflightFields(for: origin, methods: endpoint.allow)
    for field in preflight { response.fields[field.name] = field.value }
    return response
  }

  /// The response for an error.
  func failure(_ error: any Error, endpoint: Endpoint?) -> ServiceResponse {
    let problem = Problem(error) ?? .internalError
    let isOwnFault = problem.status.code >= 500
    let page = endpoint.map { $0.audience == .people } == false ? nil : pagePath
    var response = empty(problem.status, endpoint: endpoint, isHTML: page != nil)
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
      response.body = PageLayout.failure(problem, at: page)
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
    endpoint: Endpoint?,
    isHTML: Bool = false
  ) -> ServiceResponse {
    var fields =
      endpoint?.audience == .people
      ? SecurityFields.lunchPage(settings) : isHTML ? SecurityFields.page : SecurityFields.data
    // pages of other origins keep no hold of its window; on other addresses, browsers only complain of it
    if isHTML || endpoint?.audience == .people, LinkBase.isTrustworthy(request, settings) {
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
    if settings.crossOrigin.allowsAny, endpoint?.isPrivate != true, !isPrivate {
      for field in settings.crossOrigin.fields(for: request.fields[.origin]) {
        fields.append(field)
      }
    }
    let route = endpoint?.path ?? "other"
    return ServiceResponse(status: status, fields: fields, body: [], route: route)
  }

  private func addCaching(
    _ context: RequestContext,
    _ tag: EntityTag?,
    to fields: inout HTTPFields
  ) {
    fields.append(HTTPField(name: .cacheControl, value: context.caching))
    if let tag { fields.append(HTTPField(name: .eTag, value: tag.text)) }
    fields.append(HTTPField(name: .vary, value: "Accept, Accept-Encoding"))
  }

  private func rendered(_ bytes: [UInt8], _ context: RequestContext) -> [UInt8] {
    guard context.representation == .html, !context.endpoint.writesHTML else { return bytes }
    return HTMLPage.bytes(
      of: bytes,
      title: context.title,
      context.links,
      context.generation.credits
    )
  }

  private func compress(_ response: inout ServiceResponse) {
    // pages are a seventh smaller at level 6, which takes 0.2 ms more (Benchmarks/page)
    let isPage = response.route.hasPrefix(Endpoint.lunch.path)
    guard acceptsGzip, response.body.count >= ServiceLimits.compressedLength,
      let compressed = Gzip.compressed(response.body, level: isPage ? 6 : 1)
    else { return }
    response.body = compressed
    response.fields[.contentEncoding] = "gzip"
  }
}

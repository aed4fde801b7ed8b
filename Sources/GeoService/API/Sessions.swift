import GeoQuery
import HTTPTypes

/// Sessions: a browser that has sent the token gets a cookie, which replaces the token from then
/// on.
extension Endpoint {
  static let session = Endpoint(
    "session",
    "/session",
    summary: "Opens a session: a cookie for the service's token.",
    caching: .never,
    others: [
      Operation(
        method: .post,
        id: "openSession",
        summary: "Opens a session: a cookie for the service's token.",
        access: .signIn,
        body: "signIn",
        successes: [Operation.Success(status: 204, meaning: "The cookie is set.")],
        handler: .work { try $0.session() }
      )
    ]
  )

  /// The form that opens a session.
  static let pageSession = form("pageSession", "/app/session", .signIn) { try $0.sessionForm() }

  /// The form that ends the session of a browser.
  static let pageSessionEnd = form("pageSessionEnd", "/app/session/end", .owner) {
    try $0.sessionEnd()
  }

  private static func form(
    _ name: String,
    _ path: String,
    _ access: Access,
    _ work: @escaping @Sendable (RequestContext) throws -> Work
  ) -> Endpoint {
    let post = Operation(method: .post, id: name, access: access, handler: .work(work))
    return Endpoint(name, path, for: .people, others: [post])
  }
}

extension RequestContext {
  /// The cookie for `GET /?token=…` and `GET /app/?token=…`; nil without the parameter.
  ///
  /// - Throws: `Problem` 401 if the token is wrong.
  func openedSession() throws -> String? {
    try parameters.text(.token).map { try cookie(for: Array($0.utf8)) }
  }

  /// The work for `POST /session`, whose body is `{"token":"…"}`.
  ///
  /// - Throws: `Problem` 400 for another body, 401 for a wrong token.
  fileprivate func session() throws -> Work {
    guard case .object(let members)? = try? JSONValue(parsing: request.body),
      members.count == 1, case .string(let token)? = members.first?.value,
      members[0].name.utf8.elementsEqual("token".utf8)
    else {
      throw Problem.invalidBody("expected {\"token\":\"…\"}")
    }
    let cookie = try cookie(for: Array(token.utf8))
    return Work(on: .inline) { _ in Work.Body(bytes: [], status: .noContent, cookie: cookie) }
  }

  /// The work for the form that opens a session.
  ///
  /// - Throws: `Problem` 400 for another form, 401 for a wrong token.
  fileprivate func sessionForm() throws -> Work {
    guard let token = try form(["token"]).first else { throw Problem.brokenForm }
    return toFavorites(with: try cookie(for: Array(token.utf8)))
  }

  /// The work for the form that ends a session.
  ///
  /// - Throws: `Problem` 400 for another form.
  fileprivate func sessionEnd() throws -> Work {
    _ = try form([])
    let isSecure = LinkBase.isSecure(request, settings)
    return toFavorites(with: AccessRule.endingCookie(port: request.port, isSecure: isSecure))
  }

  private func toFavorites(with cookie: String) -> Work {
    let address = links.address(.favoritesPage)
    return Work(on: .inline) { _ in
      Work.Body(bytes: [], status: .seeOther, cookie: cookie, location: address)
    }
  }

  private func cookie(for token: [UInt8]) throws -> String {
    try settings.access.cookie(
      for: token,
      port: request.port,
      isSecure: LinkBase.isSecure(request, settings)
    )
  }

  /// The values of a form's fields, each of which must be there once, in the order of the names.
  ///
  /// - Throws: `Problem` 400 for another form.
  func form(_ names: [String]) throws -> [String] {
    guard request.body.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw Problem.brokenForm }
    let text = String(decoding: request.body, as: UTF8.self)
    let pairs = try RequestTarget.pairs(of: text[...])
    guard pairs.count == names.count else { throw Problem.brokenForm }
    return try names.map { name in
      guard let pair = pairs.first(where: { $0.name.isUTF8Equal(to: name) }) else {
        throw Problem.brokenForm
      }
      return pair.value
    }
  }
}

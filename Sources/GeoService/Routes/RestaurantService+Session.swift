import GeoQuery
import HTTPTypes

/// Sessions: a browser that has sent the token gets a cookie, which replaces the token from then
/// on.
extension RestaurantService {
  /// The answer to `GET /?token=…` and `GET /app/?token=…`: a cookie, and a redirect to the same
  /// page without the token.
  ///
  /// - Throws: `Problem` 401 if the token is wrong.
  func openedSession(_ asked: Asked, _ writer: ResponseWriting) throws -> Step? {
    guard asked.route == .landing || asked.route == .lunch,
      let token = asked.parameters.text(.token)
    else { return nil }
    let cookie = try cookie(for: Array(token.utf8), asked)
    let address = asked.links.address(asked.route.path)
    return .done(writer.seeOther(address, cookie: cookie, from: asked.route))
  }

  /// The plan for `POST /session`, whose body is `{"token":"…"}`.
  ///
  /// - Throws: `Problem` 400 for another body, 401 for a wrong token.
  func sessionPlan(_ asked: Asked) throws -> AnswerPlan {
    guard case .object(let members)? = try? JSONValue(parsing: asked.request.body),
      members.count == 1, case .string(let token)? = members.first?.value,
      members[0].name.utf8.elementsEqual("token".utf8)
    else {
      throw Problem(.badRequest, "InvalidBody", "expected {\"token\":\"…\"}")
    }
    let cookie = try cookie(for: Array(token.utf8), asked)
    return AnswerPlan(at: .loop) { _ in
      AnswerPlan.Body(bytes: [], status: .noContent, cookie: cookie)
    }
  }

  /// The plan for the form of the lunch page that opens a session.
  ///
  /// - Throws: `Problem` 400 for another form, 401 for a wrong token.
  func pageSessionPlan(_ asked: Asked) throws -> AnswerPlan {
    guard let token = try asked.form(["token"]).first else { throw Problem.brokenForm }
    return toFavorites(asked, with: try cookie(for: Array(token.utf8), asked))
  }

  /// The plan for the form of the lunch page that ends the session of this browser.
  ///
  /// - Throws: `Problem` 400 for another form.
  func sessionEndPlan(_ asked: Asked) throws -> AnswerPlan {
    _ = try asked.form([])
    let isSecure = LinkBase.isSecure(asked.request, settings)
    let cookie = AccessRule.endingCookie(port: asked.request.port, isSecure: isSecure)
    return toFavorites(asked, with: cookie)
  }

  private func toFavorites(_ asked: Asked, with cookie: String) -> AnswerPlan {
    let address = asked.links.address(Route.favoritesPage.path)
    return AnswerPlan(at: .loop) { _ in
      AnswerPlan.Body(bytes: [], status: .seeOther, cookie: cookie, location: address)
    }
  }

  private func cookie(for token: [UInt8], _ asked: Asked) throws -> String {
    try settings.access.cookie(
      for: token,
      port: asked.request.port,
      isSecure: LinkBase.isSecure(asked.request, settings)
    )
  }
}

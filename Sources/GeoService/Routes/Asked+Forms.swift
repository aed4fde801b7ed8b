import GeoQuery
import GeoStore
import HTTPTypes

/// The forms of the lunch page, for browsers without JavaScript.
extension Asked {
  /// The values of a form's fields.
  ///
  /// - Parameter names: The fields of the form, each of which must be there once.
  /// - Returns: Their values, in the order of the names.
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

  /// The plan for `POST /app/favorites`, which changes a favorite.
  ///
  /// - Throws: `Problem` 400 for another form.
  func favoriteForm() throws -> AnswerPlan {
    guard let favorites else { throw Problem.unknownPath }
    let fields = try form(["id", "change", "back"])
    guard let id = PercentCoding.decoded(fields[0]) else { throw Problem.brokenForm }
    let adds = fields[1].isUTF8Equal(to: "add")
    guard adds || fields[1].isUTF8Equal(to: "remove") else { throw Problem.brokenForm }
    // never redirects to another origin: only the address of a page of this service is accepted
    var view = PageView(target: fields[2]) ?? PageView(.favorites)
    view.change = adds ? .added(id) : .removed(id)
    let address = links.address(view.path, view.pairs)
    return AnswerPlan(at: .favoriteWrite) { _ in
      do {
        if adds {
          try favorites.addFavorites([id])
        } else {
          try favorites.removeFavorites([id])
        }
      } catch is UnknownRestaurant {
        throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
      }
      return AnswerPlan.Body(bytes: [], status: .seeOther, location: address)
    }
  }
}

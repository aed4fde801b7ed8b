import GeoIndex
import GeoQuery
import HTTPTypes

extension Asked {
  /// `GET /favorites`: the favourites that the data has, by id.
  ///
  /// Favourites outlive the restaurants of a feed: `missing` names those that are gone for now.
  func favoriteList() throws -> AnswerPlan {
    guard let favorites else { throw Problem.noFavorites }
    return AnswerPlan(isHeavy: true) { _ in
      let ids = try favorites.favoriteIDs()
      let found = ids.map { (id: $0, bound: data.lowerBound(ofID: $0.utf8)) }
      let present = found.filter(\.bound.isExact)
      let own = Link(relation: "self", address: selfAddress, type: Representation.geojson.plainType)
      var text = FeatureCollectionText(
        matched: present.count,
        returned: present.count,
        links: [own],
        missing: found.filter { !$0.bound.isExact }.map(\.id)
      )
      for favorite in present { text.add(favorite.bound.position, from: data) }
      text.end()
      return AnswerPlan.Body(bytes: text.bytes, hits: present.count)
    }
  }

  /// `PUT` and `DELETE /favorites/{id}`: twice is the same as once.
  func favoriteChange() throws -> AnswerPlan {
    guard let favorites, let id else { throw Problem.noFavorites }
    if !request.body.isEmpty {
      guard case .object(let members)? = try? JSONValue(parsing: request.body), members.isEmpty
      else { throw Problem.unwantedBody }
    }
    let isAdded = request.method == .put
    // a favourite that has left the feeds can still be removed
    if isAdded, !data.lowerBound(ofID: id.utf8).isExact {
      throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
    }
    return AnswerPlan(isHeavy: true) { _ in
      if isAdded { try favorites.addFavorite(id) } else { try favorites.removeFavorite(id) }
      return AnswerPlan.Body(bytes: [], status: .noContent)
    }
  }
}

extension WriteRule.Evidence {
  /// What a request says of itself; of fields given twice all, which then fit nothing.
  init(of request: ServiceRequest) {
    self.init(
      authorization: request.fields[.authorization],
      origin: request.fields[.origin],
      fetchSite: request.fields[.fetchSite],
      host: request.host ?? ""
    )
  }
}

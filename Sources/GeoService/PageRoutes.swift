/// The names by which pages know the endpoints.
typealias Route = Endpoint

extension Endpoint {
  /// The endpoint of a path, and the first value of a name in it.
  static func find(_ path: Substring) throws -> (route: Endpoint, id: String?) {
    let match = try Router.all.find(path)
    return (match.endpoint, match.values.first)
  }
}

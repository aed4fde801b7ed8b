@testable import GeoService

extension Endpoint {
  /// The path with an id, or as the tile that is the world.
  func path(id: String) -> String {
    pathParameters.reduce(path) {
      $0.replacing("{\($1.name)}", with: $1.maximum == nil ? id : "0")
    }
  }
}

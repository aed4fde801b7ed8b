@testable import GeoService

extension Route {
  /// The path with an id, or as the tile that is the world.
  func path(id: String) -> String {
    pathNames.reduce(path) { $0.replacing("{\($1)}", with: $1 == "id" ? id : "0") }
  }
}

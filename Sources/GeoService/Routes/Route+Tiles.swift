/// The routes of tiles: their paths have three numbers in them.
extension Route {
  /// Whether it is one tile.
  var isTile: Bool { self == .tile || self == .tileOfSet }

  /// The names of the parts of a path that requests fill in, in their order.
  var pathNames: [String] {
    switch self {
    case .item, .favorite, .restaurantPage, .offer: ["id"]
    case .tile: ["z", "x", "y"]
    case .tileOfSet: ["tileMatrix", "tileRow", "tileCol"]
    default: []
    }
  }

  private static let plainFolder = "/tiles/"
  private static let plainEnding = ".mvt"
  private static let setFolder = Route.tileSet.path + "/"

  /// The tile of a path as `z/x/y`, whatever stands there; nil if the path is not that of a tile.
  static func findTile(_ path: Substring) -> (route: Route, id: String?)? {
    if path.hasPrefix(plainFolder), path.hasSuffix(plainEnding) {
      let parts = path.dropFirst(plainFolder.count).dropLast(plainEnding.count)
        .split(separator: "/", omittingEmptySubsequences: false)
      return parts.count == 3 ? (.tile, "\(parts[0])/\(parts[1])/\(parts[2])") : nil
    }
    guard path.hasPrefix(setFolder) else { return nil }
    let parts = path.dropFirst(setFolder.count)
      .split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 ? (.tileOfSet, "\(parts[0])/\(parts[2])/\(parts[1])") : nil
  }
}

/// The routes of tiles, whose paths have three numbers.
extension Route {
  /// Whether it is the route of one tile.
  var isTile: Bool { self == .tile || self == .tileOfSet || self == .basemapTile }

  /// The names in braces in the path, in their order.
  var pathNames: [String] {
    switch self {
    case .item, .favorite, .restaurantPage, .offer: ["id"]
    case .image: ["id", "n"]
    case .tile, .basemapTile: ["z", "x", "y"]
    case .tileOfSet: ["tileMatrix", "tileRow", "tileCol"]
    default: []
    }
  }

  private static let plainFolder = "/tiles/"
  private static let plainEnding = ".mvt"
  private static let mapFolder = "/basemap/"
  private static let setFolder = Route.tileSet.path + "/"

  /// The tile of a path as `z/x/y`, unchecked; nil if it is not the path of a tile.
  static func findTile(_ path: Substring) -> (route: Route, id: String?)? {
    if path.hasPrefix(plainFolder), path.hasSuffix(plainEnding) {
      let parts = path.dropFirst(plainFolder.count).dropLast(plainEnding.count)
        .split(separator: "/", omittingEmptySubsequences: false)
      return parts.count == 3 ? (.tile, "\(parts[0])/\(parts[1])/\(parts[2])") : nil
    }
    if path.hasPrefix(mapFolder) {
      let parts = path.dropFirst(mapFolder.count)
        .split(separator: "/", omittingEmptySubsequences: false)
      return parts.count == 3 ? (.basemapTile, "\(parts[0])/\(parts[1])/\(parts[2])") : nil
    }
    guard path.hasPrefix(setFolder) else { return nil }
    let parts = path.dropFirst(setFolder.count)
      .split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 ? (.tileOfSet, "\(parts[0])/\(parts[2])/\(parts[1])") : nil
  }
}

/// The route of images, whose path has an id and a number.
extension Route {
  private static let imageFolder = "/images/"

  /// The image of a path as `n/id`, with the id decoded; nil if it is not the path of an image.
  ///
  /// - Throws: `Problem` 400 if the id's escapes are broken, 404 if there is no such number.
  static func findImage(_ path: Substring) throws -> (route: Route, id: String?)? {
    guard path.hasPrefix(imageFolder) else { return nil }
    let parts = path.dropFirst(imageFolder.count)
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    guard let id = PercentCoding.decoded(parts[0]) else { throw Problem.brokenEscape }
    return (.image, "\(parts[1])/\(id)")
  }
}

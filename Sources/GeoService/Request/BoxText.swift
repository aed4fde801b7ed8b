import GeoIndex

/// The parameter `bbox` (/req/core/fc-bbox-definition): longitude first.
enum BoxText {
  /// The box of `W,S,E,N`, or of six numbers, whose heights are ignored.
  ///
  /// Map libraries send longitudes beyond ±180, which are wrapped: 170,-20,190,20 crosses the
  /// antimeridian. A box 360° wide or wider is the whole globe.
  ///
  /// - Throws: `Problem` 400.
  static func box(_ text: String) throws -> BoundingBox {
    let fields = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard fields.count == 4 || fields.count == 6 else {
      throw Problem.invalid("bbox", "needs 4 or 6 numbers, got \(fields.count)")
    }
    let numbers = try fields.map { field in
      let field = String(Substring(field))
      guard let number = DecimalText.number(field) else {
        throw Problem.invalid("bbox", "\(quoted(field)) is not a number")
      }
      return number
    }
    let sides = numbers.count == 4 ? numbers : [numbers[0], numbers[1], numbers[3], numbers[4]]
    for latitude in [sides[1], sides[3]] where latitude.magnitude > 90 {
      throw Problem.invalid("bbox", "\(latitude) is not a latitude in -90...90")
    }
    let (west, east) = wrapped(west: sides[0], east: sides[2])
    let box = BoundingBox(west: west, south: sides[1], east: east, north: sides[3])
    guard let box else {
      throw Problem.invalid("bbox", "south is above north; a box is west,south,east,north")
    }
    return box
  }

  /// The same two meridians in -180...180; unchanged bit for bit if both are in that range.
  private static func wrapped(west: Double, east: Double) -> (west: Double, east: Double) {
    if east - west >= 360 { return (-180, 180) }
    let range = -180.0...180.0
    if range.contains(west), range.contains(east) { return (west, east) }
    let sides = (wrapped(west), wrapped(east))
    // narrower than 360°, this box is the antimeridian alone, not -180...180
    return sides == (-180, 180) ? (180, 180) : sides
  }

  private static func wrapped(_ longitude: Double) -> Double {
    longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
  }
}

import GeoIndex

/// The parameter `bbox` (/req/core/fc-bbox-definition): longitude first.
enum BoxText {
  /// The box of `W,S,E,N`, or of six numbers, whose heights are ignored.
  ///
  /// - Throws: `Problem` 400.
  static func box(_ text: String) throws -> BoundingBox {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 4 || fields.count == 6 else {
      throw Problem.invalid("bbox", "needs 4 or 6 numbers, got \(fields.count)")
    }
    let numbers = try fields.map { field in
      guard let number = DecimalText.number(String(field)) else {
        throw Problem.invalid("bbox", "\(quoted(String(field))) is not a number")
      }
      return number
    }
    let sides = numbers.count == 4 ? numbers : [numbers[0], numbers[1], numbers[3], numbers[4]]
    for (side, limit) in zip(sides, [180.0, 90, 180, 90]) where side.magnitude > limit {
      throw Problem.invalid("bbox", "\(side) is not in -\(Int(limit))...\(Int(limit))")
    }
    let box = BoundingBox(west: sides[0], south: sides[1], east: sides[2], north: sides[3])
    guard let box else {
      throw Problem.invalid("bbox", "south is above north; a box is west,south,east,north")
    }
    return box
  }
}

import GeoIndex

/// Parses a box `W,S,E,N`, longitude first; blanks around the numbers are ignored.
///
///     try parseBox("-97, 32.5, -96.5, 33")
///
/// - Throws: `ArgumentProblem` if the text has another form, a number is out of range, or south is
///   north of north.
func parseBox(_ text: String) throws(ArgumentProblem) -> BoundingBox {
  let fields = commaSeparated(text)
  let numbers = fields.compactMap { parseDecimal($0) }
  guard fields.count == 4, numbers.count == 4 else {
    throw ArgumentProblem(expected: "W,S,E,N (longitude first)", got: text)
  }
  let sides = [("west", 180), ("south", 90), ("east", 180), ("north", 90)]
  for (index, side) in sides.enumerated() where numbers[index].magnitude > Double(side.1) {
    throw ArgumentProblem(
      "\(side.0) \(fields[index]) is not in -\(side.1)...\(side.1);"
        + " a box is W,S,E,N (longitude first)"
    )
  }
  guard numbers[1] <= numbers[3] else {
    throw ArgumentProblem("south \(fields[1]) is above north \(fields[3]); a box is W,S,E,N")
  }
  let box = BoundingBox(west: numbers[0], south: numbers[1], east: numbers[2], north: numbers[3])
  guard let box else { throw ArgumentProblem(expected: "W,S,E,N (longitude first)", got: text) }
  return box
}

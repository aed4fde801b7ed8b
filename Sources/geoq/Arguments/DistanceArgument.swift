import GeoQuery

/// The metres of a distance as typed: `500`, `1.5km`, `2 mi`, `300 FT`.
///
/// - Returns: A finite number of metres ≥ 0; a bare number is metres.
/// - Throws: `ArgumentProblem` if the text is no such distance.
func parseDistance(_ text: String) throws(ArgumentProblem) -> Double {
  let (number, factor) = DistanceUnits.split(text)
  guard let value = parseDecimal(number), (value * factor).isFinite else {
    throw ArgumentProblem(expected: "a distance such as 500, 1.5km, 2mi or 300ft", got: text)
  }
  guard value >= 0 else {
    throw ArgumentProblem("a distance is never negative, got \"\(terminalSafe(text))\"")
  }
  return value.magnitude * factor  // the magnitude of -0.0 is 0.0
}

/// A distance rounded for people: `87 m`, `1.4 km`, `12 km`, `13,800 km`.
///
/// Whole metres below a kilometre, one decimal below ten, whole kilometres beyond.
///
/// - Precondition: 0 ≤ `metres` ≤ 10¹².
func formatDistance(_ metres: Double) -> String {
  precondition((0...1e12).contains(metres), "A distance must be a finite number of metres ≥ 0.")
  if metres < 999.5 { return "\(Int(metres.rounded())) m" }
  let tenths = Int((metres / 100).rounded())
  if tenths < 100 { return "\(tenths / 10).\(tenths % 10) km" }
  return grouped(Int((metres / 1_000).rounded())) + " km"
}

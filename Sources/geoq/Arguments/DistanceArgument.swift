import GeoQuery

/// Parses a distance, in meters: `500`, `1.5km`, `2 mi`, `300 FT`.
///
/// - Returns: A finite number of meters ≥ 0; a bare number is meters.
/// - Throws: `ArgumentProblem` if the text is not a distance.
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
/// Whole meters below a kilometer, one decimal below ten, whole kilometers beyond.
///
/// - Precondition: 0 ≤ `meters` ≤ 10¹².
func formatDistance(_ meters: Double) -> String {
  precondition((0...1e12).contains(meters), "A distance must be a finite number of meters ≥ 0.")
  if meters < 999.5 { return "\(Int(meters.rounded())) m" }
  let tenths = Int((meters / 100).rounded())
  if tenths < 100 { return "\(tenths / 10).\(tenths % 10) km" }
  return grouped(Int((meters / 1_000).rounded())) + " km"
}

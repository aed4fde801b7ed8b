import GeoIndex
import GeoQuery

/// Parses a point `LAT,LON` or `geo:LAT,LON`; blanks around the numbers are ignored, and the
/// separator may be a comma, a blank or a tab.
///
///     try parsePoint("32.7767, -96.7970")
///
/// - Throws: `ArgumentProblem` if the text has another form or a number is out of range.
func parsePoint(_ text: String) throws(ArgumentProblem) -> Coordinate {
  let trimmed = text.trimmingBlanks
  if trimmed.lowercased().begins(with: "geo:") {
    return try parseGeoURI(trimmed)
  }
  var fields = commaSeparated(trimmed)
  if fields.count == 1 {
    fields = trimmed.split { $0 == " " || $0 == "\t" }.map(String.init)
  }
  guard fields.count == 2, let point = try point(latitude: fields[0], longitude: fields[1]) else {
    throw ArgumentProblem(expected: "LAT,LON", got: text)
  }
  return point
}

/// Parses a geo URI (RFC 5870): `geo:LAT,LON[,ALTITUDE][;NAME[=VALUE]]…`.
///
/// The altitude is ignored, and so is every parameter except `crs`, which must be `wgs84`.
private func parseGeoURI(_ text: String) throws(ArgumentProblem) -> Coordinate {
  let parts = String(text.unicodeScalars.dropFirst("geo:".count)).parts(between: ";")
  for parameter in parts.dropFirst() {
    // RFC 5870 §3.4.2: names and the value of crs are case-insensitive
    let words = UTF8Key(parameter.lowercased())
    guard words == "crs" || words.text.begins(with: "crs="), words != "crs=wgs84" else { continue }
    throw ArgumentProblem(expected: "crs=wgs84 or no crs", got: parameter)
  }
  let fields = commaSeparated(parts.first ?? "")
  guard (2...3).contains(fields.count), fields.allSatisfy({ parseDecimal($0) != nil }),
    let point = try point(latitude: fields[0], longitude: fields[1])
  else {
    throw ArgumentProblem(expected: "geo:LAT,LON", got: text)
  }
  return point
}

/// The point with these numbers; `nil` if they are not numbers.
private func point(
  latitude latitudeText: String,
  longitude longitudeText: String
) throws(ArgumentProblem) -> Coordinate? {
  guard let latitude = parseDecimal(latitudeText), let longitude = parseDecimal(longitudeText)
  else { return nil }
  guard (-90...90).contains(latitude) else {
    let isSwapped = (-180...180).contains(latitude) && (-90...90).contains(longitude)
    throw ArgumentProblem(
      "latitude \(latitudeText) is not in -90...90; points are LAT,LON"
        + (isSwapped ? ", did you swap them?" : "")
    )
  }
  guard (-180...180).contains(longitude) else {
    throw ArgumentProblem("longitude \(longitudeText) is not in -180...180")
  }
  return Coordinate(latitude: latitude, longitude: longitude)
}

/// The texts between commas, without the blanks around them.
func commaSeparated(_ text: some StringProtocol) -> [String] {
  String(text).parts(between: ",").map(\.trimmingBlanks)
}

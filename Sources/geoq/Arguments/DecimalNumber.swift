import GeoQuery

/// Parses a number as people write coordinates and distances: `12`, `-96.797`, `.5`, `+1.5e3`.
///
/// An optional sign, digits with at most one decimal point, and an optional exponent; ASCII only.
/// No hexadecimal, `inf`, `nan`, underscores, decimal commas or blanks.
///
/// - Returns: `nil` if the text has another form or its value is not finite, as in `1e400`.
func parseDecimal(_ text: some StringProtocol) -> Double? {
  var rest = Array(text.utf8)[...]
  skip(in: &rest, UInt8(ascii: "+"), UInt8(ascii: "-"))
  let hasWhole = skipDigits(in: &rest)
  let hasFraction = skip(in: &rest, UInt8(ascii: ".")) && skipDigits(in: &rest)
  guard hasWhole || hasFraction else { return nil }
  if skip(in: &rest, UInt8(ascii: "e"), UInt8(ascii: "E")) {
    skip(in: &rest, UInt8(ascii: "+"), UInt8(ascii: "-"))
    guard skipDigits(in: &rest) else { return nil }
  }
  guard rest.isEmpty, let value = Double(String(text)), value.isFinite else { return nil }
  return value
}

/// Skips one byte if it is one of those given, and returns whether it was.
@discardableResult
private func skip(in rest: inout ArraySlice<UInt8>, _ bytes: UInt8...) -> Bool {
  guard let first = rest.first, bytes.contains(first) else { return false }
  rest.removeFirst()
  return true
}

/// Skips a run of digits, and returns whether there was one.
private func skipDigits(in rest: inout ArraySlice<UInt8>) -> Bool {
  let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  rest.removeFirst(digits.count)
  return !digits.isEmpty
}

/// The units in which a page shows distances.
enum PageUnits: String, Sendable, CaseIterable {
  case kilometers = "km"
  case miles = "mi"

  /// Chooses units by the country in a browser's language: miles for the United States and the
  /// United Kingdom.
  init(acceptLanguage: String?) {
    let first = acceptLanguage?.utf8.prefix { $0 != UInt8(ascii: ",") } ?? ""[...].utf8
    self =
      first.isEqualIgnoringCase("en-us") || first.isEqualIgnoringCase("en-gb")
      ? .miles : .kilometers
  }

  /// The other units.
  var other: PageUnits { self == .miles ? .kilometers : .miles }

  /// The name that people read.
  var title: String { self == .miles ? "miles" : "kilometers" }

  /// A distance as people write it: `73 m`, `1.2 km`, `240 ft`, `0.8 mi`.
  func text(of meters: Double) -> String {
    switch self {
    case .kilometers where meters < 999.5: "\(Int(meters.rounded())) m"
    case .kilometers: Self.short(meters / 1_000) + " km"
    case .miles where meters < 160: "\(Int((meters / 3.048).rounded()) * 10) ft"
    case .miles: Self.short(meters / 1_609.344) + " mi"
    }
  }

  private static func short(_ number: Double) -> String {
    number < 9.95 ? decimal(number) : "\(Int(number.rounded()))"
  }
}

/// A count with separators: `1,234,567`.
func grouped(_ count: Int) -> String {
  var digits = Array("\(count)".utf8)
  for index in stride(from: digits.count - 3, to: 0, by: -3) {
    digits.insert(UInt8(ascii: ","), at: index)
  }
  return String(decoding: digits, as: UTF8.self)
}

/// A number with at most one decimal: `4.5`, `4`.
func decimal(_ number: Double) -> String {
  guard abs(number) < 1e9 else { return "\(number)" }
  let tenths = Int((number * 10).rounded())
  return tenths % 10 == 0
    ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
}

/// The units that a page shows distances in.
enum PageUnits: String, Sendable, CaseIterable {
  case kilometers = "km"
  case miles = "mi"

  /// The units of the country that a browser's language names: miles for the United States and the
  /// United Kingdom.
  init(acceptLanguage: String?) {
    let first = acceptLanguage?.utf8.prefix { $0 != UInt8(ascii: ",") } ?? ""[...].utf8
    self =
      first.isEqualIgnoringCase("en-us") || first.isEqualIgnoringCase("en-gb")
      ? .miles : .kilometers
  }

  /// The other ones.
  var other: PageUnits { self == .miles ? .kilometers : .miles }

  /// What they are called.
  var title: String { self == .miles ? "miles" : "kilometers" }

  /// A distance for people: `73 m`, `1.2 km`, `240 ft`, `0.8 mi`.
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

/// A number with at most one decimal: `4.5`, `4`.
func decimal(_ number: Double) -> String {
  guard abs(number) < 1e9 else { return "\(number)" }
  let tenths = Int((number * 10).rounded())
  return tenths % 10 == 0
    ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
}

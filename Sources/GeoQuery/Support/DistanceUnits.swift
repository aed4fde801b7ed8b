/// Units of distance, as the tool and the service accept them after a number.
package enum DistanceUnits {
  /// The meters in one of each unit, its suffix in lower case; longer suffixes come first.
  ///
  /// Mile and foot are the international ones of 1959, exact.
  private static let meters: [(suffix: String, meters: Double)] = [
    ("km", 1_000), ("mi", 1_609.344), ("ft", 0.3048), ("m", 1),
  ]

  /// The number in a text such as `1.5 km`, and the meters in one of its unit; without a unit these are
  /// meters.
  package static func split(_ text: String) -> (number: String, meters: Double) {
    let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
    let bare = text.trimming(where: isBlank)
    let folded = bare.lowercased()
    guard let unit = meters.first(where: { folded.ends(with: $0.suffix) }) else { return (bare, 1) }
    let number = String(String.UnicodeScalarView(bare.unicodeScalars.dropLast(unit.suffix.count)))
    return (number.trimming(where: isBlank), unit.meters)
  }
}

import GeoQuery

/// Degrees as people write them: `52°29'37.0"N`, `96° 49.5' W`, `N 52.49`, `−96,82`.
enum SexagesimalDegrees {
  /// The signs for degrees, minutes and seconds.
  private static let signs: [Set<Unicode.Scalar>] = [
    ["°", "º", "˚", "d", "D"], ["'", "′", "’", "´", "m"], ["\"", "″", "”", "“", "s"],
  ]

  /// The same as a plain decimal number; nil for another text.
  ///
  /// Only the last part may have a fraction, with a point or a comma. A hemisphere's letter comes
  /// first or last, without a sign, and must be one of the axis. Without a letter or a sign for
  /// degrees there is only one part, because `52 29` may be anything.
  ///
  /// - Parameters:
  ///   - text: trimmed.
  ///   - axis: `latitude` or `longitude`.
  /// - Returns: The number, with a minus in the south and west.
  static func decimal(_ text: String, of axis: String) -> String? {
    guard text.utf8.count <= 60 else { return nil }
    var scalars = Array(text.unicodeScalars)
    let hemispheres: [Unicode.Scalar: Bool] =
      axis == "latitude"
      ? ["N": false, "n": false, "S": true] : ["E": false, "e": false, "W": true, "w": true]
    var isNegative: Bool?
    // a small s stands for seconds
    if let first = scalars.first, let found = hemispheres[first] {
      isNegative = found
      scalars.removeFirst()
    } else if let last = scalars.last, let found = hemispheres[last] {
      isNegative = found
      scalars.removeLast()
    }
    guard let parts = parts(of: scalars, isLettered: isNegative != nil) else { return nil }
    var degrees = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard let value = GeoQuery.decimal(part), isLast || Int(part) != nil else { return nil }
      guard index == 0 || (0..<60).contains(value) else { return nil }
      let share = value.magnitude / [1, 60, 3_600][index]
      degrees += share
    }
    let hasSign = parts[0].utf8.first == UInt8(ascii: "-")
    if hasSign, isNegative != nil { return nil }
    if parts.count == 1 { return (isNegative == true ? "-" : "") + parts[0] }
    return "\(isNegative ?? hasSign ? -degrees : degrees)"
  }

  /// The numbers of degrees, minutes and seconds, one to three; nil if there is anything else.
  private static func parts(of scalars: [Unicode.Scalar], isLettered: Bool) -> [String]? {
    var (parts, number, hasSign, signedCount) = ([String](), "", false, 0)
    for scalar in scalars {
      switch scalar {
      case "0"..."9", "+": number.unicodeScalars.append(scalar)
      case ".", ",": number += "."
      case "-", "\u{2212}", "\u{2013}": number += "-"
      case " ", "\u{A0}", "\u{202F}", ":":
        if !number.isEmpty { parts.append(number) }
        number = ""
        hasSign = hasSign || scalar == ":"
      default:
        if !number.isEmpty { parts.append(number) }
        number = ""
        guard (1...3).contains(parts.count), signs[parts.count - 1].contains(scalar) else {
          // two apostrophes are a sign for seconds
          guard parts.count == 3, signs[1].contains(scalar) else { return nil }
          continue
        }
        if signedCount == parts.count { return nil }
        (hasSign, signedCount) = (true, parts.count)
      }
    }
    if !number.isEmpty { parts.append(number) }
    let isKnown = parts.count == 1 || hasSign || isLettered
    return (1...3).contains(parts.count) && isKnown ? parts : nil
  }
}

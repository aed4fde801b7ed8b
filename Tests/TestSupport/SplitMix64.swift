import Foundation
package import GeoIndex

/// Seeded random numbers.
///
/// G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator {
  /// The seed of this run: `SEED=` in the environment, else a fixed one.
  package static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap(UInt64.init) ?? 20_261_121

  private var state: UInt64

  /// Numbers that depend on a seed alone.
  package init(seed: UInt64) {
    state = seed
  }

  /// Numbers that depend on the run's seed and on a stream's name.
  package init(stream: String) {
    // FNV-1a, so that streams differ and do not change from run to run
    state = stream.utf8.reduce(Self.seed ^ 0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func double(in range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  package mutating func int(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Uniform on the sphere, not in degrees.
  package mutating func coordinate() -> Coordinate {
    let latitude = asin(double(in: -1...1)) * 180 / .pi
    return .at(latitude, double(in: -180...180))
  }

  /// A coordinate about as many degrees away at most, in any direction.
  package mutating func coordinate(near center: Coordinate, degrees: Double) -> Coordinate {
    .at(
      center.latitude + double(in: -degrees...degrees),
      center.longitude + double(in: -degrees...degrees)
    )
  }

  /// A text of up to `length` characters that are awkward in JSON, CSV and SQL, U+0000 never.
  package mutating func hostileText(upTo length: Int) -> String {
    (0..<int(below: length + 1)).map { _ in Self.awkward[int(below: Self.awkward.count)] }.joined()
  }

  private static let awkward = [
    "a", "Z", "7", " ", "\"", "\\", "/", "'", ",", ";", "\t", "\n", "\r", "\u{1}", "\u{1F}",
    "\u{7F}", "\u{85}", "é", "e\u{301}", "ß", "\u{2028}", "\u{202E}", "\u{FEFF}", "漢", "👩‍🍳", "=",
    "%", "\u{FFFD}", "\u{10FFFF}", "<", "&",
  ]
}

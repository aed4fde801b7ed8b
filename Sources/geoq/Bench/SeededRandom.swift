/// Random numbers that are the same for the same seed.
///
/// G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  private var spareNormal: Double?

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A uniform number in 0..<1, with 53 random bits.
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A normal number with mean 0 and standard deviation 1.
  ///
  /// Made in pairs: G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29, 1958.
  mutating func normal() -> Double {
    if let spare = spareNormal {
      spareNormal = nil
      return spare
    }
    let radius = (-2 * log(1 - uniform())).squareRoot()
    let angle = 2 * Double.pi * uniform()
    spareNormal = radius * sin(angle)
    return radius * cos(angle)
  }
}

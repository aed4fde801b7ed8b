@testable import GeoIndex

/// The chords that a search for the nearest points keeps, and how far it has to look, in plain arrays.
struct SlowList {
  private let count: Int
  private var chords: [Double] = []

  /// Meters.
  private(set) var limit = 400_000.0

  /// Whether a chord was too near the limit to tell on which side the search saw it.
  private(set) var isOpen = false

  init(count: Int) {
    self.count = count
  }

  private var isLong: Bool { count > TopK16.maximumCapacity }

  /// How many distances the search works out in the end.
  var solvedCount: Int {
    isLong ? chords.count { $0 <= limit } : count
  }

  /// Takes the points of a leaf in.
  mutating func take(_ leaf: [Double]) {
    chords += leaf.filter { $0 <= limit }
    isOpen = isOpen || leaf.contains { abs($0 - limit) < 0.01 }
    guard chords.count >= count else { return }
    chords.sort()
    limit = min(
      limit,
      isLong ? settled(after: step(above: chords[count - 1])) : settled(after: chords[count - 1])
    )
    isOpen = isOpen || chords.dropFirst(count).contains { abs($0 - limit) < 0.01 }
  }

  /// A long list knows the last chord's square up to a step, of which there are 32 to an octave.
  private mutating func step(above chord: Double) -> Double {
    let square = chord * chord
    var octave = 1.0
    while octave * 2 <= square { octave *= 2 }
    while octave > square { octave /= 2 }
    let steps = square / octave * 32
    isOpen = isOpen || abs(steps - steps.rounded()) < 1e-6
    return (octave / 32 * (steps.rounded(.down) + 1)).squareRoot()
  }

  /// The chord beyond which nothing can be nearer along the ellipsoid than after another.
  private func settled(after chord: Double) -> Double {
    let bend = chord / (2 * 6_335_439.327)
    return chord * (1 + 0.168 * bend * bend)
  }
}

@testable import GeoIndex

/// The chords that a search for the nearest points keeps, and how far it has to look, in plain arrays.
///
/// A short list's limit follows each leaf; a long one is thinned out only once it has grown by a part.
struct SlowList {
  private let count: Int
  private var chords: [Double] = []
  private var fullCount: Int

  /// Metres.
  private(set) var limit = 400_000.0

  /// Whether a chord was too near the limit to tell on which side the search saw it.
  private(set) var isOpen = false

  init(count: Int) {
    self.count = count
    fullCount = count + 16
  }

  private var isLong: Bool { count > ShortList.greatestCapacity }

  /// How many distances the search works out in the end.
  var solvedCount: Int {
    guard isLong else { return count }
    var last = self
    if limit == 400_000 { last.thinOut() }
    return last.chords.count
  }

  /// Takes the points of a leaf in.
  mutating func take(_ leaf: [Double]) {
    isOpen = isOpen || leaf.contains { abs($0 - limit) < 0.01 }
    chords += leaf.filter { $0 <= limit }
    if !isLong {
      if chords.count >= count { limit = min(limit, settled) }
    } else if chords.count >= fullCount {
      thinOut()
    }
  }

  private mutating func thinOut() {
    guard chords.count >= count else { return }
    limit = min(limit, settled)
    chords.sort()
    isOpen = isOpen || chords.dropFirst(count).contains { abs($0 - limit) < 0.01 }
    chords.removeAll { $0 > limit }
    fullCount = chords.count + max(32, chords.count / 2)
  }

  /// The chord beyond which nothing can be nearer along the ellipsoid than the last searched for.
  private var settled: Double {
    let chord = chords.sorted()[count - 1]
    let bend = chord / (2 * 6_335_439.327)
    return chord * (1 + 0.168 * bend * bend)
  }
}

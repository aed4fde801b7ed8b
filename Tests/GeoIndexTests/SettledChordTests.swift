import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct SettledChordTests {
  /// A squared chord of at most 400 km and the distance that is reported for it.
  private struct Measured {
    let chordSquared: Double
    let distance: Double

    init(_ one: Coordinate, _ other: Coordinate) {
      let (start, end) = (ECEFPoint(one), ECEFPoint(other))
      chordSquared = Chord(from: start, to: end).squared
      distance = Geodesic.nearDistance(from: start, x: end.x, y: end.y, z: end.z)
    }
  }

  /// Pairs up to the limit: everywhere, and where the ellipsoid bends most and least.
  private static func pairs(_ count: Int) -> [Measured] {
    var random = SplitMix64(stream: "settled")
    let pairs = (0..<count).map { turn -> Measured in
      let meters = pow(10, random.double(in: -9...5.62))
      let degrees = meters / 111_195
      switch turn % 4 {
      case 0:
        let equator = random.double(in: -1...1) * degrees
        return Measured(.at(equator, 10), .at(equator + degrees, 10))
      case 1:
        return Measured(.at(90 - random.double(in: 0...1) * degrees, 0), .at(90 - degrees, 180))
      case 2: return Measured(.at(0, 10), .at(random.tiny() * 1e-6, 10 + degrees))
      default:
        let one = random.coordinate()
        return Measured(one, random.step(from: one, meters: meters))
      }
    }
    return pairs.filter { $0.chordSquared <= ChordLimits.maximumNearSquared }
  }

  #if DEBUG
  private static let measured = pairs(20_000)
  #else
  private static let measured = pairs(400_000)
  #endif

  @Test func `a distance stays below every chord beyond the settled one`() {
    var worst = 0.0
    for pair in Self.measured {
      let beyond = ChordLimits.settled(after: pair.chordSquared).nextUp.squareRoot()
      // and a distance is never less than its chord
      guard pair.distance >= beyond || pair.distance < pair.chordSquared.squareRoot() else {
        continue
      }
      worst = max(worst, pair.distance)
      Issue.record("SEED=\(SplitMix64.seed) \(pair)")
    }
    #expect(worst == 0)
  }

  @Test func `no shorter chord has a distance as great as one beyond its settled chord`() {
    let sorted = Self.measured.sorted { $0.chordSquared < $1.chordSquared }
    var (settled, greatest, pairs) = (0, -1.0, 0)
    for pair in sorted {
      while ChordLimits.settled(after: sorted[settled].chordSquared) < pair.chordSquared {
        greatest = max(greatest, sorted[settled].distance)
        settled += 1
        pairs += 1
      }
      #expect(pair.distance > greatest, "SEED=\(SplitMix64.seed) \(pair)")
    }
    #expect(pairs > sorted.count / 2)
  }

  @Test func `nothing and the smallest chords are settled at themselves`() {
    #expect(ChordLimits.settled(after: 0) == 0)
    #expect(ChordLimits.settled(after: .leastNonzeroMagnitude) == .leastNonzeroMagnitude)
    #expect(ChordLimits.settled(after: 1) > 1)
    let greatest = ChordLimits.settled(after: ChordLimits.maximumNearSquared).squareRoot()
    #expect(greatest > 400_000 && greatest < 400_100)
  }

  @Test func `settled chords rise with chords`() {
    let sorted = Self.measured.map(\.chordSquared).sorted()
    for (one, next) in zip(sorted, sorted.dropFirst()) {
      #expect(ChordLimits.settled(after: one) <= ChordLimits.settled(after: next))
    }
  }

  @Test func `a key is never below that of a lane whose bound is its chord`() {
    var random = SplitMix64(stream: "keys")
    for _ in 0..<20_000 {
      // a lane's bound is 0 or a few 10⁻¹⁵ m² at least: its differences are steps of 32-bit floats
      let squared = pow(10, random.double(in: -30...14.3))
      let bound = Float(squared * (1 + 4e-7))
      let lane = Int32(bitPattern: bound.bitPattern) & ~7 | Int32(random.int(below: 8))
      #expect(lane <= ChordLimits.key(squared), "\(squared)")
      let far = Int32(bitPattern: Float(squared * 1.000_01).bitPattern) & ~7
      #expect(far > ChordLimits.key(squared), "\(squared)")
    }
    #expect(ChordLimits.key(0) >= 7)
    #expect(ChordLimits.key(2e14) < Int32(bitPattern: Float.infinity.bitPattern) & ~7)
  }
}

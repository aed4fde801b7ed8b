import TestSupport
import Testing

@testable import GeoIndex

struct ChordLimitsTests {
  @Test(arguments: PairKind.allCases)
  func `a distance never rules out a point within it`(_ kind: PairKind) {
    var random = SplitMix64(stream: "limits \(kind)")
    for _ in 0..<500 {
      let (one, other) = kind.pair(using: &random)
      let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other))
      let distance = one.distance(to: other)
      #expect(!ChordLimits(distance).rulesOut(chord), "SEED=\(SplitMix64.seed) \(one) to \(other)")
      #expect(!ChordLimits(distance * 1.5).rulesOut(chord))
      #expect(!ChordLimits(.infinity).rulesOut(chord))
    }
  }

  @Test(arguments: PairKind.allCases)
  func `a certain chord is never that of a point outside`(_ kind: PairKind) {
    var random = SplitMix64(stream: "certain \(kind)")
    for _ in 0..<500 {
      let (one, other) = kind.pair(using: &random)
      let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other))
      let distance = one.distance(to: other)
      guard distance > 0 else { continue }
      for radius in [distance.nextDown, distance * 0.999_999_999, distance * 0.9] {
        let certain = ChordLimits.certainSquared(within: radius)
        #expect(chord.squared > certain, "SEED=\(SplitMix64.seed) \(one) to \(other)")
      }
    }
  }

  @Test func `far bounds are sharp enough to be of use`() {
    let (one, other) = (Coordinate.at(0, 0), Coordinate.at(10, 100))
    let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other))
    let distance = one.distance(to: other)
    #expect(ChordLimits(distance * 0.99).rulesOut(chord))
    #expect(chord.squared <= ChordLimits.certainSquared(within: distance * 1.02))
    #expect(ChordLimits.certainSquared(within: 0) < 0)
    #expect(ChordLimits.certainSquared(within: .infinity) == .infinity)
  }
}

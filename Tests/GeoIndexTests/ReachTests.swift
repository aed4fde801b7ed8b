import TestSupport
import Testing

@testable import GeoIndex

struct ReachTests {
  @Test(arguments: PairKind.allCases)
  func `a reach never rules out a point within it`(_ kind: PairKind) {
    var random = SplitMix64(stream: "reach \(kind)")
    for _ in 0..<500 {
      let (one, other) = kind.pair(using: &random)
      let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other))
      let distance = one.distance(to: other)
      #expect(!Reach(distance).rulesOut(chord), "SEED=\(SplitMix64.seed) \(one) to \(other)")
      #expect(!Reach(distance * 1.5).rulesOut(chord))
      #expect(!Reach(.infinity).rulesOut(chord))
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
        let certain = Reach.certainChordSquared(within: radius)
        #expect(chord.squared > certain, "SEED=\(SplitMix64.seed) \(one) to \(other)")
      }
    }
  }

  @Test func `far bounds are sharp enough to be of use`() {
    let (one, other) = (Coordinate.at(0, 0), Coordinate.at(10, 100))
    let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other))
    let distance = one.distance(to: other)
    #expect(Reach(distance * 0.99).rulesOut(chord))
    #expect(chord.squared <= Reach.certainChordSquared(within: distance * 1.02))
    #expect(Reach.certainChordSquared(within: 0) < 0)
    #expect(Reach.certainChordSquared(within: .infinity) == .infinity)
  }
}

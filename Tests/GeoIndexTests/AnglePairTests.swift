import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct AnglePairTests {
  @Test func `sines and cosines are the library's to a unit in the last place`() {
    var random = SplitMix64(stream: "angles")
    #if DEBUG
    let count = 20_000
    #else
    let count = 500_000
    #endif
    var worst = 0.0
    for _ in 0..<count {
      let degrees = SIMD2(random.double(in: -360...360), random.double(in: -45...45))
      let pair = AnglePair(degrees: degrees)
      for lane in 0..<2 {
        // reduced exactly first, as the angle is one of degrees
        let quarters = (degrees[lane] / 90).rounded()
        let rest = (degrees[lane] - quarters * 90) * (.pi / 180)
        let turned = [
          (sin(rest), cos(rest)), (cos(rest), -sin(rest)), (-sin(rest), -cos(rest)),
          (-cos(rest), sin(rest)),
        ][(Int(quarters) % 4 + 4) % 4]
        worst = max(worst, abs(pair.sines[lane] - turned.0) / max(turned.0.ulp, 1e-300))
        worst = max(worst, abs(pair.cosines[lane] - turned.1) / max(turned.1.ulp, 1e-300))
      }
    }
    #expect(worst <= 1.5, "SEED=\(SplitMix64.seed)")
  }

  @Test func `multiples of 90 degrees are exact and have no negative zero`() {
    for turn in -4...4 {
      let degrees = Double(turn) * 90
      let pair = AnglePair(degrees: SIMD2(degrees, -degrees))
      let sine = [0.0, 1, 0, -1][(turn + 8) % 4]
      let cosine = [1.0, 0, -1, 0][(turn + 8) % 4]
      #expect(pair.first.sine.bitPattern == sine.bitPattern)
      #expect(pair.first.cosine.bitPattern == cosine.bitPattern)
      #expect(pair.second.sine.bitPattern == (0 - sine).bitPattern)
      #expect(pair.second.cosine.bitPattern == cosine.bitPattern)
    }
    #expect(AnglePair(degrees: SIMD2(-0.0, 0)).sines[0].sign == .plus)
  }

  @Test func `opposite and supplementary angles have the same bits`() {
    var random = SplitMix64(stream: "symmetry")
    for _ in 0..<20_000 {
      let degrees = random.double(in: 0...180)
      let pair = AnglePair(degrees: SIMD2(degrees, -degrees))
      #expect(pair.sines[0] == -pair.sines[1])
      #expect(pair.cosines[0] == pair.cosines[1])
      let whole = degrees.rounded(.down)
      let supplement = AnglePair(degrees: SIMD2(180 - whole, whole))
      #expect(supplement.sines[0] == supplement.sines[1])
      #expect(supplement.cosines[0] == -supplement.cosines[1])
      let turned = AnglePair(degrees: SIMD2(whole - 180, whole + 180))
      #expect(turned.sines[0] == turned.sines[1])
      #expect(turned.cosines[0] == turned.cosines[1])
    }
  }

  @Test func `both angles of a pair are computed alike`() {
    var random = SplitMix64(stream: "alike")
    for _ in 0..<5_000 {
      let (one, other) = (random.double(in: -180...180), random.double(in: -180...180))
      let pair = AnglePair(degrees: SIMD2(one, other))
      let swapped = AnglePair(degrees: SIMD2(other, one))
      #expect(pair.sines[0].bitPattern == swapped.sines[1].bitPattern)
      #expect(pair.cosines[0].bitPattern == swapped.cosines[1].bitPattern)
      #expect(Angle(degrees: one).sine.bitPattern == pair.sines[0].bitPattern)
    }
  }

  @Test func `the smallest angles are not lost`() {
    for degrees in [1e-300, 1e-100, 1e-20, 1e-9] {
      let pair = AnglePair(degrees: SIMD2(degrees, 90 - degrees))
      #expect(abs(pair.sines[0] / (degrees * .pi / 180) - 1) < 1e-15)
      #expect(pair.cosines[0] == 1)
    }
  }
}

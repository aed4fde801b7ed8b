import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct AngleTests {
  @Test func `sines and cosines are the library's to a unit in the last place`() {
    var random = SplitMix64(stream: "angles")
    #if DEBUG
    let count = 20_000
    #else
    let count = 500_000
    #endif
    var worst = 0.0
    for _ in 0..<count {
      for degrees in [random.double(in: -360...360), random.double(in: -45...45)] {
        let angle = Angle(degrees: degrees)
        // reduced exactly first, as the angle is one of degrees
        let quarters = (degrees / 90).rounded()
        let rest = (degrees - quarters * 90) * (.pi / 180)
        let turned = [
          (sin(rest), cos(rest)), (cos(rest), -sin(rest)), (-sin(rest), -cos(rest)),
          (-cos(rest), sin(rest)),
        ][(Int(quarters) % 4 + 4) % 4]
        worst = max(worst, abs(angle.sine - turned.0) / max(turned.0.ulp, 1e-300))
        worst = max(worst, abs(angle.cosine - turned.1) / max(turned.1.ulp, 1e-300))
      }
    }
    #expect(worst <= 1.5, "SEED=\(SplitMix64.seed)")
  }

  @Test func `multiples of 90 degrees are exact and have no negative zero`() {
    for turn in -4...4 {
      let degrees = Double(turn) * 90
      let (angle, mirrored) = (Angle(degrees: degrees), Angle(degrees: -degrees))
      let sine = [0.0, 1, 0, -1][(turn + 8) % 4]
      let cosine = [1.0, 0, -1, 0][(turn + 8) % 4]
      #expect(angle.sine.bitPattern == sine.bitPattern)
      #expect(angle.cosine.bitPattern == cosine.bitPattern)
      #expect(mirrored.sine.bitPattern == (0 - sine).bitPattern)
      #expect(mirrored.cosine.bitPattern == cosine.bitPattern)
    }
    #expect(Angle(degrees: -0.0).sine.sign == .plus)
  }

  @Test func `opposite and supplementary angles have the same bits`() {
    var random = SplitMix64(stream: "symmetry")
    for _ in 0..<20_000 {
      let degrees = random.double(in: 0...180)
      let (angle, opposite) = (Angle(degrees: degrees), Angle(degrees: -degrees))
      #expect(angle.sine == -opposite.sine)
      #expect(angle.cosine == opposite.cosine)
      let whole = degrees.rounded(.down)
      let (one, supplement) = (Angle(degrees: whole), Angle(degrees: 180 - whole))
      #expect(supplement.sine == one.sine)
      #expect(supplement.cosine == -one.cosine)
      let (back, forth) = (Angle(degrees: whole - 180), Angle(degrees: whole + 180))
      #expect(back.sine == forth.sine)
      #expect(back.cosine == forth.cosine)
    }
  }

  @Test func `the smallest angles are not lost`() {
    for degrees in [1e-300, 1e-100, 1e-20, 1e-9] {
      let angle = Angle(degrees: degrees)
      #expect(abs(angle.sine / (degrees * .pi / 180) - 1) < 1e-15)
      #expect(angle.cosine == 1)
    }
  }
}

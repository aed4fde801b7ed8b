import TestSupport
import Testing

@testable import GeoIndex

struct GeodesicInverseTests {
  @Test func `the gap of longitude is exact at both ends`() {
    #expect(LongitudeGap(from: -180, to: 179).degrees == 1)
    #expect(LongitudeGap(from: 170, to: -170).degrees == 20)
    #expect(LongitudeGap(from: 0, to: -180).supplement == 0)
    #expect(LongitudeGap(from: 0, to: -180).angle.sine == 0)
    #expect(LongitudeGap(from: 5, to: 5).angle.sine == 0)
    let gap = LongitudeGap(from: -90, to: 90.0.nextDown)
    #expect(gap.supplement == 90 - 90.0.nextDown)
    #expect(gap.angle.sine > 0)
  }

  @Test func `close positions are measured too`() {
    var random = SplitMix64(stream: "inverse")
    for _ in 0..<2_000 {
      let one = random.coordinate()
      let other = random.step(from: one, meters: random.double(in: 1_000...20_000))
      let near = one.distance(to: other)
      let inverse = GeodesicInverse(from: one, to: other).distance
      #expect(abs(near - inverse) < 2e-8, "SEED=\(SplitMix64.seed) \(one) to \(other)")
    }
  }

  @Test func `turning both ends around the axis changes nothing`() {
    var random = SplitMix64(stream: "axis")
    for _ in 0..<500 {
      let one = random.coordinate()
      let other = random.coordinate(near: one.antipode, degrees: 1)
      let turned = GeodesicInverse(
        from: .at(one.latitude, one.longitude + 45),
        to: .at(other.latitude, other.longitude + 45)
      )
      #expect(abs(turned.distance - GeodesicInverse(from: one, to: other).distance) < 1e-7)
    }
  }

  @Test func `mirrored pairs are equally far`() {
    var random = SplitMix64(stream: "mirror")
    for _ in 0..<500 {
      let (one, other) = (random.coordinate(), random.coordinate())
      let south = GeodesicInverse(
        from: .at(-one.latitude, one.longitude),
        to: .at(-other.latitude, other.longitude)
      )
      #expect(south.distance == GeodesicInverse(from: one, to: other).distance)
    }
  }

  @Test func `a series sums its sines`() {
    let series = SineSeries(c1: 1, c2: -0.5, c3: 0.25, c4: 2, c5: -1, c6: 0.125)
    let sixth = Angle(radians: .pi / 6)
    // sin 60, 120, 180, 240, 300 and 360 degrees
    let half = 3.0.squareRoot() / 2
    let expected = half * (1 - 0.5 - 2 + 1)
    #expect(abs(series.sum(at: sixth) - expected) < 1e-15)
  }
}

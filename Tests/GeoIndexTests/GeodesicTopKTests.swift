import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct GeodesicTopKTests {
  /// An estimate of a distance next to Karney's.
  private struct Estimate {
    let estimate: Double
    let distance: Double

    init(_ one: Coordinate, _ other: Coordinate) {
      let (start, end) = (ECEFPoint(one), ECEFPoint(other))
      estimate = Geodesic.estimate(from: start, x: end.x, y: end.y, z: end.z)
      distance = GeodesicInverse(from: one, to: other).distance
    }

    var error: Double { abs(estimate - distance) }
  }

  #if DEBUG
  private static let count = 10_000
  #else
  private static let count = 250_000
  #endif

  private static func pair(
    _ turn: Int,
    using random: inout SplitMix64
  ) -> (one: Coordinate, other: Coordinate) {
    let one = random.coordinate()
    let meters = random.double(in: 0...10_000_000)
    return switch turn % 5 {
    // along a meridian, over a pole, on the equator: where curvature changes most and least
    case 0:
      (
        .at(random.double(in: -90...0), one.longitude),
        .at(random.double(in: 0...90), one.longitude)
      )
    case 1: (.at(80, one.longitude), .at(random.double(in: 10...80), one.longitude + 180))
    case 2: (.at(0, one.longitude), .at(0, one.longitude + meters / 111_320))
    default: (one, random.step(from: one, meters: meters))
    }
  }

  @Test func `estimates are far nearer to the distance than the margin says`() {
    var random = SplitMix64(stream: "estimates")
    var (worst, measured) = (0.0, 0)
    for turn in 0..<Self.count {
      let pair = Self.pair(turn, using: &random)
      let estimate = Estimate(pair.one, pair.other)
      // as far as a search scans: points just beyond the limit are estimated too
      guard estimate.distance <= GeodesicTopK.maximumDistance * 1.01 else { continue }
      worst = max(worst, estimate.error / GeodesicTopK.margin(at: estimate.estimate))
      measured += 1
    }
    #expect(worst < 0.25, "SEED=\(SplitMix64.seed)")
    #expect(measured > Self.count * 9 / 10)
  }

  @Test func `estimates of equal and neighboring places are as near`() {
    var random = SplitMix64(stream: "near estimates")
    for exponent in -9..<6 {
      for _ in 0..<100 {
        let one = random.coordinate()
        let pair = Estimate(one, random.step(from: one, meters: pow(10, Double(exponent))))
        #expect(pair.error < GeodesicTopK.margin(at: pair.estimate), "SEED=\(SplitMix64.seed)")
      }
    }
    for place: Coordinate in [.at(0, 0), .at(90, 0), .at(-90, 7), .at(32.9, -96.8), .at(5, 180)] {
      #expect(Estimate(place, place).estimate < 1e-100)
    }
  }

  @Test func `no point within a length is beyond its bounds`() {
    var random = SplitMix64(stream: "estimates' bounds")
    for turn in 0..<Self.count {
      let pair = Self.pair(turn, using: &random)
      let (start, end) = (ECEFPoint(pair.one), ECEFPoint(pair.other))
      let length = Estimate(pair.one, pair.other).estimate
      guard length >= Geodesic.maximumNearChord, length <= GeodesicTopK.maximumDistance else {
        continue
      }
      let bounds = GeodesicTopK.bounds(within: length)
      let chord = Chord(from: start, to: end)
      #expect(chord.squared <= bounds.chordSquared, "SEED=\(SplitMix64.seed)")
      let stretched = chord.equatorialSquared + chord.axialSquared * Ellipsoid.axisRatioSquared
      #expect(
        Int32(bitPattern: Float(stretched).bitPattern) <= bounds.key,
        "SEED=\(SplitMix64.seed)"
      )
    }
  }

  @Test func `the longest chord that an estimate is asked for proves a distance it measures`() {
    // s ≤ 2ρ·asin(c/2ρ)
    let diameter = 2 * Ellipsoid.minimumCurvatureRadius
    let longest = diameter * asin(GeodesicTopK.maximumChordSquared.squareRoot() / diameter)
    #expect(longest <= GeodesicTopK.maximumDistance)
  }

  @Test func `the margin and what is settled rise with the distance`() {
    var (margin, settled) = (0.0, 0.0)
    for distance in stride(from: 0.0, through: 10_010_000, by: 2_500) {
      #expect(GeodesicTopK.margin(at: distance) >= margin)
      #expect(GeodesicTopK.settled(after: distance) >= settled)
      margin = GeodesicTopK.margin(at: distance)
      settled = GeodesicTopK.settled(after: distance)
    }
  }

  @Test func `beyond a settled length two errors as great as the margin change no order`() {
    for estimate in stride(from: 0.0, through: 10_000_000, by: 2_500) {
      let beyond = GeodesicTopK.settled(after: estimate)
      let least = beyond - GeodesicTopK.margin(at: beyond)
      let greatest = estimate + GeodesicTopK.margin(at: estimate)
      #expect(least >= greatest - 4 * beyond.ulp, "\(estimate) m")
    }
  }
}

import Foundation
import Testing

@testable import GeoIndex

struct EstimateRulerTests {
  /// An estimate of a distance beside Karney's.
  private struct Estimate {
    let estimate: Double
    let distance: Double

    init(_ one: Coordinate, _ other: Coordinate) {
      let (start, end) = (Site(one), Site(other))
      estimate = Geodesic.nearDistance(from: start, x: end.x, y: end.y, z: end.z)
      distance = GeodesicInverse(from: one, to: other).distance
    }
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
    let metres = random.double(in: 0...2_020_000)
    return switch turn % 4 {
    // along a meridian, on the equator and elsewhere: where curvature changes most and least
    case 0: (one, .at(one.latitude + metres / 111_195, one.longitude))
    case 1: (.at(0, one.longitude), .at(0, one.longitude + metres / 111_195))
    default: (one, random.step(from: one, metres: metres))
    }
  }

  @Test func `estimates are far nearer to the distance than the margin says`() {
    var random = SplitMix64(stream: "estimates")
    var (worst, measured) = (0.0, 0)
    for turn in 0..<Self.count {
      let pair = Self.pair(turn, using: &random)
      let chord = Chord(from: Site(pair.one), to: Site(pair.other)).squared.squareRoot()
      guard chord <= EstimateRuler.greatestChord else { continue }
      let pairwise = Estimate(pair.one, pair.other)
      let error = abs(pairwise.estimate - pairwise.distance)
      worst = max(worst, error / EstimateRuler.margin(at: pairwise.estimate))
      measured += 1
    }
    #expect(worst < 0.1, "SEED=\(SplitMix64.seed)")
    #expect(measured > Self.count * 9 / 10)
  }

  @Test func `the margin and what is settled rise with the distance`() {
    let tree = KDTree([.at(0, 0)])
    let ruler = EstimateRuler(view: tree.view, site: Site(.at(0, 0)))
    var (margin, settled) = (0.0, 0.0)
    for distance in stride(from: 0.0, through: 2_010_000, by: 500) {
      #expect(EstimateRuler.margin(at: distance) >= margin)
      #expect(ruler.settled(after: distance * distance) >= settled)
      margin = EstimateRuler.margin(at: distance)
      settled = ruler.settled(after: distance * distance)
    }
  }

  @Test func `beyond a settled length two errors as great as the margin change no order`() {
    let tree = KDTree([.at(0, 0)])
    let ruler = EstimateRuler(view: tree.view, site: Site(.at(0, 0)))
    for estimate in stride(from: 0.0, through: 2_000_000, by: 500) {
      let beyond = ruler.settled(after: estimate * estimate).squareRoot()
      let least = beyond - EstimateRuler.margin(at: beyond)
      let greatest = estimate + EstimateRuler.margin(at: estimate)
      #expect(least >= greatest - 4 * beyond.ulp, "\(estimate) m")
    }
  }
}

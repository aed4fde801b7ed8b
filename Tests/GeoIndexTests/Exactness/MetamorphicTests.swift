import Foundation
import GeoIndex
import TestSupport
import Testing

/// The invariants I2 to I8: what one answer says about another.
///
/// A seeded share runs with all tests. `make verify-exact` tries 200 000 cases:
///
///     GEOQ_METAMORPHIC_CASES=200000 swift test -c release --filter Metamorphic
struct MetamorphicTests {
  private static let wanted = ExactPlan.environment("GEOQ_METAMORPHIC_CASES")

  /// How many cases all layouts try together.
  private static var caseCount: Int {
    #if DEBUG
    wanted ?? 3_000
    #else
    wanted ?? 20_000
    #endif
  }

  @Test(arguments: Layout.allCases)
  func `answers hold to each other as they should`(_ layout: Layout) {
    let start = Date()
    let share = (Self.caseCount + Layout.allCases.count - 1) / Layout.allCases.count
    let largest = Self.wanted == nil ? 1_100 : 20_000
    var cases = 0
    var bad = 0
    var round = 0
    while cases < share {
      let plan = ExactPlan(queries: 0, centersPerTree: 0, queriesPerCenter: 0, largestSize: largest)
      var trial = MetamorphicField(layout, size: plan.size(inRound: round), round: round)
      let turns = Self.wanted == nil ? 4 : 25
      for rule in (0..<turns).flatMap({ _ in MetamorphicRule.allCases }) {
        cases += 1
        guard let fault = rule.fault(in: &trial) else { continue }
        bad += 1
        guard bad <= 5 else { continue }
        Issue.record("\(trial.field): \(rule): \(fault)")
      }
      round += 1
    }
    #expect(bad == 0)
    guard Self.wanted != nil else { return }
    let seconds = Int(Date().timeIntervalSince(start))
    print(
      #"{"id":"S3","layout":"\#(layout.rawValue)","n":\#(cases),"bad":\#(bad),"#
        + #""seconds":\#(seconds),"seed":\#(SplitMix64.seed)}"#
    )
  }
}

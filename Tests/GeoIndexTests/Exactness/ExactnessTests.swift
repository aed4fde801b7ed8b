import Foundation
import GeoIndex
import TestSupport
import Testing

/// Random queries over all layouts equal brute force exactly.
///
/// A seeded share runs with all tests. `make verify-exact` asks a million:
///
///     GEOQ_VERIFY_QUERIES=1000000 swift test -c release --filter Exactness
struct ExactnessTests {
  @Test func `random queries over all layouts equal brute force bit for bit`() async {
    let plan = ExactPlan.current
    let share = (plan.queries + Layout.allCases.count - 1) / Layout.allCases.count
    let start = Date()
    let runs = await withTaskGroup(of: ExactRun.self) { group in
      for layout in Layout.allCases {
        group.addTask {
          var run = ExactRun(layout)
          run.ask(share, plan: plan)
          return run
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for fault in runs.flatMap(\.faults) {
      Issue.record(Comment(rawValue: fault))
    }
    #expect(runs.reduce(0) { $0 + $1.mismatches } == 0)
    #expect(runs.reduce(0) { $0 + $1.total } >= plan.queries)
    for kind in ExactQuery.Kind.allCases {
      #expect(runs.allSatisfy { $0.counts[kind, default: 0] > 0 }, "\(kind)")
    }
    if ExactPlan.isLong { Self.tell(runs, seconds: Date().timeIntervalSince(start)) }
  }

  /// Prints how many queries of each kind every layout has had.
  private static func tell(_ runs: [ExactRun], seconds: Double) {
    let kinds = ExactQuery.Kind.allCases
    print(row(["layout"] + kinds.map(\.rawValue) + ["queries", "mismatches", "seconds"]))
    for run in runs.sorted(by: { $0.layout.rawValue < $1.layout.rawValue }) {
      let counts = kinds.map { "\(run.counts[$0, default: 0])" }
      let rest = ["\(run.total)", "\(run.mismatches)", String(format: "%.1f", run.seconds)]
      print(row([run.layout.rawValue] + counts + rest))
    }
    let sums = kinds.map { kind in "\(runs.reduce(0) { $0 + $1.counts[kind, default: 0] })" }
    let total = runs.reduce(0) { $0 + $1.total }
    let bad = runs.reduce(0) { $0 + $1.mismatches }
    print(row(["all"] + sums + ["\(total)", "\(bad)", String(format: "%.1f", seconds)]))
    print(
      #"{"id":"S2","n":\#(total),"bad":\#(bad),"seconds":\#(Int(seconds)),"#
        + #""seed":\#(SplitMix64.seed)}"#
    )
  }
  /// A line of a table, its first cell to the left and the others to the right.
  private static func row(_ cells: [String]) -> String {
    let first = cells[0].padding(toLength: 20, withPad: " ", startingAt: 0)
    let rest = cells.dropFirst().map { cell in
      String(repeating: " ", count: max(1, 15 - cell.count)) + cell
    }
    return first + rest.joined()
  }
}

import Foundation
import GeoIndex
import TestSupport

/// A run of random queries over one layout, each compared with the answer by definition.
struct ExactRun: Sendable {
  let layout: Layout

  /// How many queries have been compared, by kind.
  private(set) var counts: [ExactQuery.Kind: Int] = [:]

  /// How many of them had an answer that differs.
  private(set) var mismatches = 0

  /// The first few differences.
  private(set) var faults: [String] = []

  private(set) var seconds = 0.0

  var total: Int { counts.values.reduce(0, +) }

  init(_ layout: Layout) {
    self.layout = layout
  }

  /// Runs at least `count` queries.
  mutating func ask(_ queryCount: Int, plan: ExactPlan) {
    let start = Date()
    var round = 0
    while total < queryCount {
      var field = QueryField(layout, size: plan.size(inRound: round), round: round)
      // few centers where a ranking takes long
      let centers = field.count > 3_000 ? max(1, plan.centersPerTree / 3) : plan.centersPerTree
      for _ in 0..<centers {
        let center = field.center()
        let ranked = field.scan.ranked(from: center)
        for _ in 0..<plan.queriesPerCenter {
          compare(field.query(from: center, ranked), in: field, ranked)
        }
      }
      round += 1
    }
    seconds = Date().timeIntervalSince(start)
  }

  private mutating func compare(_ query: ExactQuery, in field: QueryField, _ ranked: [Neighbor]) {
    let right = query.answer(from: ranked, of: field.scan)
    counts[query.kind, default: 0] += 1
    guard let fault = query.answer(by: field.tree).fault(insteadOf: right) else { return }
    mismatches += 1
    if faults.count < 5 { faults.append("\(field): \(query) \(fault)") }
  }
}

/// How long a run is, and over which sizes it goes.
struct ExactPlan: Sendable {
  let queries: Int
  let centersPerTree: Int
  let queriesPerCenter: Int
  let largestSize: Int

  /// Around everything a leaf, a level or a vector could hold, and larger.
  private static let sizes = [
    0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 511, 513,
    1_000, 1_025, 2_000, 20_000, 2_049, 100_000, 777, 300_000,
  ]

  /// A seeded share for every run of the tests, or what `GEOQ_VERIFY_QUERIES` says.
  static let current: ExactPlan = {
    if let queries = environment("GEOQ_VERIFY_QUERIES") {
      return ExactPlan(
        queries: queries,
        centersPerTree: 15,
        queriesPerCenter: 50,
        largestSize: 300_000
      )
    }
    #if DEBUG
    return ExactPlan(queries: 10_000, centersPerTree: 2, queriesPerCenter: 20, largestSize: 2_100)
    #else
    return ExactPlan(queries: 100_000, centersPerTree: 2, queriesPerCenter: 30, largestSize: 20_000)
    #endif
  }()

  /// Whether this is the long run, which tells its figures.
  static let isLong = environment("GEOQ_VERIFY_QUERIES") != nil

  static func environment(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init)
  }

  /// The sizes by turns, and after each some small size.
  ///
  /// In strides, so that even a few rounds go from a single leaf to several levels.
  func size(inRound round: Int) -> Int {
    var random = SplitMix64(stream: "size \(round)")
    guard round % 2 == 0 else { return random.int(below: 300) }
    let size = Self.sizes[round / 2 * 12 % Self.sizes.count]
    return size <= largestSize ? size : random.int(below: largestSize)
  }
}

import Foundation
import GeoIndex

@testable import GeoQuery

/// A seeded question for a few places, small enough to look at every group.
struct CoverCase: CustomStringConvertible {
  let seed: Int
  let coordinates: [Coordinate]

  /// The wants that each place meets, a bit each.
  let masks: [UInt64]

  let amounts: [Double]
  let center: Coordinate
  let places: Int
  let maximumDistance: Double
  let cost: CoverQuery.Cost
  let preference: CoverQuery.Preference
  let tree: KDTree
  private let distances: [Double]
  private let between: [[Double]]

  var description: String {
    "case \(seed): \(coordinates.count) places, \(amounts.count) wants, at most \(places) within "
      + "\(maximumDistance), by \(cost), \(preference)"
  }

  init(seed: Int) {
    var random = MadeUpRestaurants(seed: UInt64(seed) &* 0x9E37_79B9 &+ 7)
    self.seed = seed
    places = 1 + random.number(below: 4)
    let count = random.number(below: places == 4 ? 14 : 20)
    let layout = random.number(below: 6)
    func place() -> Coordinate {
      func off(_ count: Int) -> Double { Double(random.number(below: 2 * count + 1) - count) }
      switch layout {
      case 0: return MadeUpRestaurants.valid(32.95 + off(500) / 2e4, -96.82 + off(500) / 2e4)
      case 1:
        let longitude = 180 + off(9) / 1_000
        return MadeUpRestaurants.valid(
          off(9) / 1_000,
          longitude > 180 ? longitude - 360 : longitude
        )
      case 2: return MadeUpRestaurants.valid(90 - abs(off(3)) / 100, off(4) * 45)
      case 3: return MadeUpRestaurants.valid(1 + off(1) / 100, 2 + off(1) / 100)
      case 4: return MadeUpRestaurants.valid(off(3) / 1_000, off(3) / 1_000)
      default: return random.coordinate()
      }
    }
    let coordinates = (0..<count).map { _ in place() }
    self.coordinates = coordinates
    // the middle of what is symmetric gives ties
    let center = layout == 4 ? MadeUpRestaurants.valid(0, 0) : place()
    self.center = center
    let wants = 1 + random.number(below: 9)
    let share = 2 + random.number(below: 5)
    masks = (0..<count).map { _ in
      // a want of its own bit may be met by no place
      (0..<wants).reduce(0) { $0 | (random.number(below: share) == 0 ? 1 << UInt64($1) : 0) }
    }
    amounts = (0..<wants).map { _ in Double(random.number(below: 5)) * 0.25 }
    distances = coordinates.map { center.distance(to: $0) }
    between = coordinates.map { one in coordinates.map { one.distance(to: $0) } }
    let sorted = distances.sorted()
    maximumDistance =
      random.number(below: 3) > 0 || sorted.isEmpty
      ? .infinity : sorted[random.number(below: sorted.count)]
    cost = random.one(of: CoverQuery.Cost.allCases)
    preference = random.one(of: CoverQuery.Preference.allCases)
    tree = KDTree(coordinates, threads: 1)
  }

  /// A group of places as the rules rank it.
  struct Group {
    let worth: Int
    let choice: CoverChoice

    /// Whether it comes before another one.
    func precedes(_ other: Group) -> Bool {
      if worth != other.worth { return worth > other.worth }
      if choice.positions.count != other.choice.positions.count {
        return choice.positions.count < other.choice.positions.count
      }
      return choice < other.choice
    }
  }

  var weights: WantWeights {
    WantWeights(
      amounts: amounts.map { preference == .count ? 1 : Int(($0 * 1_000_000).rounded()) }
    )
  }

  func worth(of positions: [Int]) -> Int {
    let met = positions.reduce(0) { $0 | masks[$1] }
    return amounts.indices.reduce(0) {
      $0 + (met >> UInt64($1) & 1 == 1 ? weights.amounts[$1] : 0)
    }
  }

  func group(_ positions: [Int]) -> Group {
    let sum = cost == .walk ? 0 : positions.sorted().reduce(0) { $0 + distances[$1] }
    let meters =
      switch cost {
      case .farthest: positions.map { distances[$0] }.max() ?? 0
      case .walk: shortestWalk(nil, positions, 0)
      case .spread: positions.flatMap { one in positions.map { between[one][$0] } }.max() ?? 0
      }
    let choice = CoverChoice(cost: meters, distanceSum: sum, positions: positions)
    return Group(worth: worth(of: positions), choice: choice)
  }

  private func shortestWalk(_ last: Int?, _ rest: [Int], _ length: Double) -> Double {
    if rest.isEmpty { return length }
    return rest.reduce(.infinity) { best, next in
      let step = last.map { between[$0][next] } ?? distances[next]
      return min(best, shortestWalk(next, rest.filter { $0 != next }, length + step))
    }
  }

  /// Every group that the question allows.
  var groups: [Group] {
    var all: [[Int]] = [[]]
    var last = all
    for _ in 0..<places {
      last = last.flatMap { group in
        ((group.last ?? -1) + 1..<coordinates.count).compactMap { next in
          distances[next] <= maximumDistance ? group + [next] : nil
        }
      }
      all += last
    }
    return all.map(group)
  }

  /// What the search says.
  func found(steps: Int = .max) -> CoverFound {
    let sets = amounts.indices.map { want in
      BitSet(
        capacity: coordinates.count,
        coordinates.indices.filter {
          masks[$0] >> UInt64(want) & 1 == 1 && distances[$0] <= maximumDistance
            && weights.amounts[want] > 0
        }
      )
    }
    var search = CoverSearch(
      tree: tree,
      center: center,
      sets: sets,
      maximumCount: places,
      cost: cost,
      weights: weights,
      budget: SearchBudget(until: nil, steps: steps)
    )
    return search.run()
  }

  /// How many cases a run looks at: a seeded share, or what `GEOQ_VERIFY_PLANS` says.
  static let count =
    ProcessInfo.processInfo.environment["GEOQ_VERIFY_PLANS"].flatMap(Int.init) ?? 150
}

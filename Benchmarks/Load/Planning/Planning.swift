import Foundation
import GeoIndex
import GeoQuery

/// `Planning SIZE…`: medians of cover and meet, beside brute force that has to give the same costs.
///
/// With `PLANNING_QUESTIONS=FOLDER` it writes the places there, and some questions with their answers, for
/// `Peers/duckdb_planning.py` to ask again.
@main
struct Planning {
  static func main() throws {
    print("| places | question | median, ms | p90, ms | brute force, ms | as brute force |")
    print("|---|---|---|---|---|---|")
    for size in CommandLine.arguments.dropFirst().compactMap({ Int($0) }) {
      let run = try PlanningRun(size: size)
      try run.report()
      try run.writeQuestions()
    }
  }
}

/// Made-up places, and questions near them.
struct PlanningRun {
  private let engine: QueryEngine
  private let places: [Restaurant]
  private let exchange: QuestionFolder?

  init(size: Int) throws {
    var random = PlaceMaker(seed: 20_150_821)
    places = random.restaurants(size)
    exchange = ProcessInfo.processInfo.environment["PLANNING_QUESTIONS"]
      .map { QuestionFolder(path: $0, size: size) }
    engine = QueryEngine(try Snapshot(places))
  }

  private static let wants = [
    "Cuisine 3", "Cuisine 8", "Cuisine 15", "Cuisine 19",
  ]

  func report() throws {
    var random = PlaceMaker(seed: 1)
    let rare = Want("rated", .filter(Filter(conditions: [try Condition("rating >= 4.8")])))
    let few = Self.wants.map { Want($0, .filter(Filter(categories: [$0]))) }
    for (cost, limit) in [
      (CoverQuery.Cost.farthest, Double.infinity), (.farthest, 5_000), (.walk, .infinity),
      (.walk, 5_000), (.spread, 5_000),
    ] {
      let name = "cover by \(cost), 4 wants, P=3" + (limit < .infinity ? ", 5 km" : "")
      var proven = 0
      try row(name, count: 60, &random) { center, random in
        let query = CoverQuery(
          near: center,
          wants: few.prefix(3) + [rare],
          within: limit,
          by: cost,
          until: Deadline(in: .seconds(5))
        )
        let start = ContinuousClock.now
        let cover = try engine.cover(query)
        let time = ContinuousClock.now - start
        proven += cover.isOptimal ? 1 : 0
        if cost == .farthest, limit == .infinity {
          exchange?.addCover(center, cover, milliseconds: time / .milliseconds(1))
        }
        guard cost == .farthest, random.number(below: 15) == 0 else { return (time, nil, true) }
        let (slow, best) = bruteForce(query)
        return (time, slow, best == (cover.met, cover.places.count, cover.cost))
      }
      if proven < 62 { print("only \(proven) of 62 are proven") }
    }
    for cost in GroupCost.allCases {
      try row("meet of 5 points by \(cost), k=10", count: 400, &random) { center, random in
        let points = (0..<5).map { _ in random.near(center, degrees: 0.01) }
        let start = ContinuousClock.now
        let meeting = try engine.meet(points, by: cost, count: 10)
        let time = ContinuousClock.now - start
        if cost == .sum {
          exchange?.addMeeting(points, meeting, milliseconds: time / .milliseconds(1))
        }
        guard random.number(below: 80) == 0 else { return (time, nil, true) }
        let slow = ContinuousClock.now
        let costs = places.indices.map { position in
          Neighbor(
            index: position,
            distance: cost(points.map { $0.distance(to: places[position].coordinate) })
          )
        }.sorted().prefix(10)
        return (
          time, ContinuousClock.now - slow,
          Array(costs.map(\.index)) == meeting.items.map(\.position)
        )
      }
    }
  }

  /// Writes what a peer needs to be asked the same.
  func writeQuestions() throws {
    try exchange?.write(places.map { ($0.coordinate, Self.wants(of: $0)) })
  }

  /// The wants that a place meets, a bit each.
  private static func wants(of place: Restaurant) -> Int {
    let parts = place.category?.components(separatedBy: ", ") ?? []
    var found = (place.rating ?? 0) >= 4.8 ? 8 : 0
    for (bit, name) in wants.prefix(3).enumerated() where parts.contains(name) { found |= 1 << bit }
    return found
  }

  /// Asks near drawn places, the first two times for nothing, and prints a row.
  private func row(
    _ name: String,
    count: Int,
    _ random: inout PlaceMaker,
    _ ask: (Coordinate, inout PlaceMaker) throws -> (Duration, Duration?, Bool)
  ) throws {
    var times: [Double] = []
    var slow: [Double] = []
    var wrong = 0
    for turn in 0..<count + 2 {
      let place = places[random.number(below: places.count)].coordinate
      let (time, bruteForce, isRight) = try ask(random.near(place, degrees: 0.005), &random)
      wrong += isRight ? 0 : 1
      if turn > 1 { times.append(time / .milliseconds(1)) }
      if let bruteForce { slow.append(bruteForce / .milliseconds(1)) }
    }
    times.sort()
    slow.sort()
    func text(_ number: Double) -> String { String(format: "%.4g", number) }
    let other = slow.isEmpty ? "" : text(slow[slow.count / 2])
    let equal = slow.isEmpty ? "" : wrong == 0 ? "yes" : "no: \(wrong) differ"
    print(
      "| \(places.count) | \(name) | \(text(times[times.count / 2])) "
        + "| \(text(times[times.count * 9 / 10])) | \(other) | \(equal) |"
    )
  }

  /// The least radius, by measuring and sorting all places: for each set of wants the fewest places.
  private func bruteForce(_ query: CoverQuery) -> (Duration, (Int, Int, Double)) {
    let start = ContinuousClock.now
    var found: [(distance: Double, wants: Int)] = []
    for place in places {
      let wants = Self.wants(of: place)
      let distance = wants == 0 ? .infinity : query.center.distance(to: place.coordinate)
      if wants != 0, distance <= query.maximumDistance { found.append((distance, wants)) }
    }
    found.sort { $0.distance < $1.distance }
    var fewest = [0] + [Int](repeating: .max, count: 15)
    var best = (met: 0, count: 0, cost: 0.0)
    for place in found {
      let before = fewest
      for met in 0..<16 where before[met] < query.places {
        let union = met | place.wants
        guard before[met] + 1 < fewest[union] else { continue }
        fewest[union] = before[met] + 1
        if (union.nonzeroBitCount, -fewest[union]) > (best.met, -best.count) {
          best = (union.nonzeroBitCount, fewest[union], place.distance)
        }
      }
    }
    return (ContinuousClock.now - start, best)
  }
}

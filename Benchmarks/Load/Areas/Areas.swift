import Foundation
import GeoIndex
import GeoQuery

/// `Areas SIZE…`: medians of queries in areas, with an expression and at a time, each by an engine that
/// remembers no filter.
///
/// With `AREAS_QUESTIONS=FOLDER` it writes the places there, and the questions with their answers, for
/// `Peers/postgis_areas.py` to ask again.
@main
struct Areas {
  static func main() throws {
    print("| places | question | hits | median | ± | processor | aim | of the aim |")
    print("|---|---|---:|---:|---:|---:|---|---:|")
    for size in CommandLine.arguments.dropFirst().compactMap({ Int($0) }) {
      let run = try AreasRun(size: size)
      try run.report()
    }
  }
}

/// Made-up places with opening hours, and questions near them.
struct AreasRun {
  private let snapshot: Snapshot
  private let places: [Restaurant]
  private let rounds = ProcessInfo.processInfo.environment["ROUNDS"].flatMap { Int($0) } ?? 5
  private let folder = ProcessInfo.processInfo.environment["AREAS_QUESTIONS"]

  /// What a question took in each round, in microseconds by the clock and of the processor, and its answer.
  private struct Answered {
    var times: [Double] = []
    var processorTimes: [Double] = []
    let page: Page

    var median: Double { AreasRun.middle(times) }
  }

  private static func middle(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

  /// The time that the processor has worked for this thread, in microseconds.
  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }

  init(size: Int) throws {
    var random = PlaceMaker(seed: 20_150_821)
    var places = random.restaurants(size)
    let hours = Self.hours
    for index in places.indices where random.number(below: 10) > 0 {
      places[index].hours = hours[random.number(below: hours.count)]
    }
    self.places = places
    snapshot = try Snapshot(places)
  }

  /// 480 values with two rules each, as most in OpenStreetMap have.
  private static let hours = (8...15).flatMap { first in
    (18...23).flatMap { last in
      ["Mo-Fr", "Tu-Sa"].flatMap { days in
        (0..<5).map {
          "\(days) \(clock(first)):00-\(last):00; Su \(clock($0 + 9)):30-\(last - 1):30"
        }
      }
    }
  }

  private static func clock(_ hour: Int) -> String { hour < 10 ? "0\(hour)" : "\(hour)" }

  // MARK: - Questions

  func report() throws {
    var random = PlaceMaker(seed: 1)
    for (shape, noise) in [("1 000 vertices", 0.02), ("1 000 spikes", 0.4)] {
      let areas = try (0..<120).map { number in
        try area(1_000, degrees: [0.02, 0.1, 0.5, 2][number % 4], noise: noise, &random)
      }
      let nearest = try row(
        "nearest 10 in an area of \(shape)",
        areas,
        aim: { _ in 100 },
        asking: { Query(.nearest(to: $0.center, count: 10), matching: Filter(area: $0.area)) }
      )
      let all = try row(
        "all in an area of \(shape)",
        areas,
        aim: { 100 + 0.02 * Double($0) },
        asking: { Query(.everywhere, matching: Filter(area: $0.area)) }
      )
      try write(shape, areas, nearest, all)
    }
    let conditions = (0..<100).map { number in
      (category: "Cuisine \(number % 20)", rating: 4 + Double(number / 20) / 10)
    }
    let expressions = try conditions.map {
      try FilterExpression("rating >= \($0.rating) and category = '\($0.category)'")
    }
    let chosen = try row(
      "rating >= 4 and category = 'Cuisine 3'",
      expressions,
      aim: { _ in 5_000 },
      asking: { Query(.everywhere, matching: Filter(where: $0)) }
    )
    let times = (0..<100).compactMap { number in
      LocalTime(year: 2026, month: 11, day: 23 + number % 7, minute: number * 601 % 1_440)
    }
    _ = try row(
      "open at a time",
      times,
      aim: { _ in 5_000 },
      asking: { Query(.everywhere, matching: Filter(open: OpenAt($0))) }
    )
    try write(conditions, chosen)
    try writePlaces()
  }

  /// An area with corners all around a place, not farther than half the degrees: a lobed outline, from each
  /// corner of which so much of the radius is taken at random.
  private func area(
    _ count: Int,
    degrees: Double,
    noise: Double,
    _ random: inout PlaceMaker
  ) throws -> (center: Coordinate, area: Area) {
    while true {
      let place = places[random.number(below: places.count)].coordinate
      guard abs(place.latitude) < 70, abs(place.longitude) < 170 else { continue }
      var ring = (0..<count).map { number in
        let angle = 2 * Double.pi * Double(number) / Double(count)
        let lobes = 0.85 + 0.1 * sin(3 * angle) + 0.05 * sin(8 * angle)
        let radius = degrees / 2 * lobes * (1 - noise * Double(random.number(below: 1_000)) / 1_000)
        return Area.Vertex(
          longitude: place.longitude + radius * cos(angle),
          latitude: place.latitude + radius * sin(angle)
        )
      }
      ring.append(ring[0])
      return (random.near(place, degrees: degrees / 10), try Area([[ring]]))
    }
  }

  /// Asks each question in each round, the first round for nothing, and prints a row.
  private func row<Asked>(
    _ name: String,
    _ questions: [Asked],
    aim: (Int) -> Double,
    asking query: (Asked) -> Query
  ) throws -> [Answered] {
    var answered: [Answered] = []
    for round in 0...rounds {
      for (number, question) in questions.enumerated() {
        // a filter knows the digest of its area
        let query = query(question)
        let engine = QueryEngine(snapshot)
        let (start, processorStart) = (ContinuousClock.now, Self.processorTime())
        let page = try engine.page(query)
        let (end, processorEnd) = (ContinuousClock.now, Self.processorTime())
        if round == 0 {
          answered.append(Answered(page: page))
        } else {
          answered[number].times.append((end - start) / .microseconds(1))
          answered[number].processorTimes.append(processorEnd - processorStart)
        }
      }
    }
    let ofRounds = (0..<rounds).map { round in Self.middle(answered.map { $0.times[round] }) }
      .sorted()
    // of the processor's time, which other work on the machine disturbs less
    let processor = answered.map { Self.middle($0.processorTimes) }
    let shares = zip(answered, processor).map { $1 / aim($0.page.count) }
    let hits = answered.map(\.page.count).sorted()
    let goal = aim(1_000_000) == aim(0) ? "\(Int(aim(0))) µs" : "100 µs + 20 ns a hit"
    func text(_ number: Double) -> String { String(format: "%.4g", number) }
    print(
      "| \(places.count) | \(name) | \(hits[hits.count / 2]) | \(text(Self.middle(ofRounds))) µs "
        + "| \(text((ofRounds[rounds - 1] - ofRounds[0]) / 2)) µs | \(text(Self.middle(processor))) µs | \(goal) "
        + "| \(text(Self.middle(shares))), at most \(text(shares.max() ?? 0)) |"
    )
    return answered
  }

  // MARK: - For the peer

  private func write(_ lines: [String], as name: String) throws {
    guard let folder else { return }
    let text = lines.joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)-\(places.count).tsv"))
  }

  private func writePlaces() throws {
    try write(
      places.enumerated().map { position, place in
        "\(position)\t\(place.coordinate.latitude)\t\(place.coordinate.longitude)\t"
          + "\(place.category ?? "")\t\(place.rating ?? 0)"
      },
      as: "places"
    )
  }

  private func write(
    _ shape: String,
    _ areas: [(center: Coordinate, area: Area)],
    _ nearest: [Answered],
    _ all: [Answered]
  ) throws {
    try write(
      zip(areas, zip(nearest, all)).map { asked, answers in
        let corners = asked.area.polygons[0][0].map { "\($0.longitude) \($0.latitude)" }
        let page = answers.0.page
        let ids = (0..<page.count).map { "\(page.hits[$0].position)" }
        return "\(shape)\t\(asked.center.latitude)\t\(asked.center.longitude)\t"
          + "POLYGON((\(corners.joined(separator: ","))))\t\(ids.joined(separator: " "))\t"
          + "\(answers.1.page.count)\t\(answers.0.median)\t\(answers.1.median)"
      },
      as: "areas of \(shape)"
    )
  }

  private func write(
    _ conditions: [(category: String, rating: Double)],
    _ answers: [Answered]
  ) throws {
    try write(
      zip(conditions, answers).map { asked, answer in
        "\(asked.category)\t\(asked.rating)\t\(answer.page.count)\t\(answer.median)"
      },
      as: "conditions"
    )
  }
}

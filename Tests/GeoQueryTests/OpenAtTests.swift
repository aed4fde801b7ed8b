import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

struct OpenAtTests {
  /// Friday.
  private func now() throws -> LocalTime {
    try #require(LocalTime(year: 2026, month: 11, day: 27, minute: 13 * 60 + 5))
  }

  @Test(arguments: [
    ("now", "2026-11-27T13:05"), ("NOW", "2026-11-27T13:05"), ("12:30", "2026-11-27T12:30"),
    ("9:05", "2026-11-27T09:05"), ("Fri 12:30", "2026-11-27T12:30"),
    ("thu 12:30", "2026-12-03T12:30"),
    ("Sunday 00:00", "2026-11-29T00:00"), ("tue 23:59", "2026-12-01T23:59"),
    ("2026-12-24 12:30", "2026-12-24T12:30"), ("2026-12-24T12:30", "2026-12-24T12:30"),
    ("2028-02-29t00:00", "2028-02-29T00:00"),
  ])
  func `a time is resolved by the caller's clock, to the same text for links`(
    _ text: String,
    _ expected: String
  ) throws {
    let open = try OpenAt(text, now: now())
    #expect(open.time.description == expected)
    #expect(try OpenAt(expected, now: now()) == open)
  }

  @Test(arguments: [
    "", "noon", "25:00", "12:60", "12", "Fri", "Friday 12", "2026-02-30 12:30", "2026-13-01 12:30",
    "12:30 Fri",
    "1234-01-01 12:30", "2026-12-24", "Fri 12:30 x", "-1:30", "12:30:00", "Fr12:30",
    "99999999999999999999:00",
  ])
  func `another text is an error of one sentence`(_ text: String) throws {
    let error = #expect(throws: QueryError.self) { try OpenAt(text, now: now()) }
    #expect(error?.parameter == "open" && error?.reason.contains("2026-12-24 12:30") == true)
  }

  @Test func `the filter equals the timetables of all restaurants, unknown ones counted`() throws {
    var random = SplitMix64(stream: "open at")
    let hours = [
      "Mo-Fr 11:00-22:00", "Fr-Sa 18:00-02:00", "24/7", "off", "see website", "",
      "Mo-Su 10:00-20:00; PH off",
      "Jun-Aug 10:00-20:00", "Mo[1] 10:00-24:00; Fr 12:00-14:00", "10:00-sunset",
      "\"by appointment\"",
      "Monday: 11:00 AM – 2:00 AM; Tuesday: Closed", "Su 20:00-04:00",
      "Dec 24-26 off; Mo-Su 09:00-17:00",
    ]
    let restaurants = (0..<2_000).map { number in
      var restaurant = Restaurant(
        id: "r\(10_000 + number)",
        name: "R",
        coordinate: .at(Double(number % 90), Double(number % 180)),
        source: "test"
      )
      restaurant.hours = hours.randomElement(using: &random).flatMap { $0.isEmpty ? nil : $0 }
      restaurant.closed = Int.random(in: 0..<10, using: &random) == 0
      return restaurant
    }
    let file = try TemporarySnapshot(of: restaurants)
    try file.snapshot.verify()
    let engine = QueryEngine(file.snapshot)
    let days = [20_784, 20_785, 20_788, 20_812, 20_813, 20_819, 21_000, 20_972]
    for day in days + (0..<40).map({ _ in Int.random(in: 20_700...21_500, using: &random) }) {
      for minute in [0, 1, 119, 120, 659, 660, Int.random(in: 0..<1_440, using: &random), 1_439] {
        let time = LocalTime(day: day, minute: minute)
        let states = restaurants.map { restaurant in
          restaurant.closed
            ? .closed : restaurant.hours.flatMap { Timetable($0) }?.state(at: time) ?? .unknown
        }
        func count(_ filter: Filter) throws -> Int {
          try engine.count(Query(.everywhere, matching: filter)).total
        }
        let filter = Filter(open: OpenAt(time))
        #expect(try count(filter) == states.count { $0 == .open }, "\(time)")
        let both = Filter(open: OpenAt(time, includesUnknown: true))
        #expect(try count(both) == states.count { $0 != .closed }, "\(time)")
        let unknown = try #require(filter.unknownHours)
        #expect(try count(unknown) == states.count { $0 == .unknown }, "\(time)")
        #expect(Set([filter.bytes, both.bytes, unknown.bytes, Filter.all.bytes]).count == 4)
      }
    }
    let isAll = Filter(open: OpenAt(try now())).takesAll
    #expect(Filter.all.unknownHours == nil && !isAll)
  }
}

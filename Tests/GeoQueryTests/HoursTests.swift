import Foundation
import TestSupport
import Testing

@testable import GeoQuery

struct HoursTests {
  /// A time as in ISO 8601.
  private func time(_ text: String) throws -> LocalTime {
    let numbers = text.split { "-T :".contains($0) }.compactMap { Int($0) }
    try #require(numbers.count == 5)
    let minute = numbers[3] * 60 + numbers[4]
    return try #require(
      LocalTime(year: numbers[0], month: numbers[1], day: numbers[2], minute: minute)
    )
  }

  private func state(_ hours: String, _ time: String) throws -> Timetable.State? {
    Timetable(hours)?.state(at: try self.time(time))
  }

  /// The times of a week in November 2026 without dates of its own: `Mo 11:00-22:00 …`.
  private func week(_ hours: String, of day: String = "2026-11-18T12:00") throws -> String? {
    let time = try time(day)
    return Timetable(hours).map { timetable in
      zip(["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"], timetable.week(of: time))
        .filter { !$1.isEmpty }
        .map { day, spans in
          day + " "
            + spans.map { span in
              clock(span.minutes.lowerBound) + "-" + clock(span.minutes.upperBound)
                + (span.state == .unknown ? "?" : "")
            }.joined(separator: ",")
        }.joined(separator: " ")
    }
  }

  // MARK: Midnight

  @Test(arguments: [
    ("Fr 18:00-02:00", "2026-11-27T17:59", Timetable.State.closed),
    ("Fr 18:00-02:00", "2026-11-27T18:00", .open), ("Fr 18:00-02:00", "2026-11-28T00:00", .open),
    ("Fr 18:00-02:00", "2026-11-28T01:59", .open), ("Fr 18:00-02:00", "2026-11-28T02:00", .closed),
    ("Fr 18:00-02:00", "2026-11-27T01:00", .closed), ("Fr 18:00-26:00", "2026-11-28T01:59", .open),
    ("Mo-Su 10:00-24:00", "2026-11-28T23:59", .open),
    ("Mo-Su 10:00-00:00", "2026-11-28T00:00", .closed),
    ("Mo 10:00-10:00", "2026-11-24T09:59", .open), ("Mo 10:00-10:00", "2026-11-24T10:00", .closed),
    ("Su 22:00-03:00", "2026-11-30T02:00", .open),
    ("Dec 31 20:00-04:00", "2027-01-01T03:00", .open),
    ("Dec 31 20:00-04:00", "2027-01-02T03:00", .closed),
    // the rules of OpenStreetMap: the days of a later rule have no night of an earlier one …
    ("Fr-Sa 11:00-02:00; Su 11:00-22:00", "2026-11-29T01:00", .closed),
    ("Fr-Sa 11:00-02:00; Sa off", "2026-11-28T01:00", .closed),
    // … unless it is added, or comes first
    ("Fr-Sa 11:00-02:00, Su 11:00-22:00", "2026-11-29T01:00", .open),
    ("Su 11:00-22:00; Fr-Sa 11:00-02:00", "2026-11-29T01:00", .open),
    // for people the night belongs to the day before
    ("Saturday: 11:00 AM – 2:00 AM; Sunday: Closed", "2026-11-29T01:00", .open),
    ("Saturday: 11:00 AM – 2:00 AM; Sunday: Closed", "2026-11-29T02:00", .closed),
  ])
  func `a span past midnight goes on in the next day`(
    _ hours: String,
    _ time: String,
    _ expected: Timetable.State
  ) throws {
    #expect(try state(hours, time) == expected)
  }

  // MARK: Rules

  @Test(arguments: [
    ("Mo-Fr 10:00-20:00; We off", "2026-11-25T12:00", Timetable.State.closed),
    ("Mo-Fr 10:00-20:00; We off", "2026-11-26T12:00", .open),
    ("Mo-Fr 10:00-20:00; We 12:00-13:00 off", "2026-11-25T12:59", .closed),
    ("Mo-Fr 10:00-20:00; We 12:00-13:00 off", "2026-11-25T13:00", .open),
    ("We off; Mo-Fr 10:00-20:00", "2026-11-25T12:00", .open),
    ("Mo-Fr 10:00-20:00; We 14:00-16:00", "2026-11-25T12:00", .closed),
    ("Mo-Fr 10:00-20:00, We 22:00-23:00", "2026-11-25T12:00", .open),
    ("24/7", "2026-11-25T03:00", .open), ("off", "2026-11-25T12:00", .closed),
    ("24/7; Dec 25 off", "2026-12-25T12:00", .closed), ("Mo-Fr", "2026-11-25T03:00", .open),
    ("Mo-Fr 08:00-12:00 || We unknown", "2026-11-25T12:00", .unknown),
    ("Mo-Fr 08:00-12:00 || We unknown", "2026-11-25T11:59", .open),
    ("Mo-Fr 08:00-12:00 || We unknown", "2026-11-26T12:00", .closed),
    ("Mo-Fr 10:00-20:00 unknown", "2026-11-25T12:00", .unknown),
    ("\"by appointment\"", "2026-11-25T12:00", .unknown),
    ("Mo-Fr \"by appointment\"", "2026-11-28T12:00", .closed),
    ("Mo-Fr 10:00-20:00 \"kitchen until 19:00\"", "2026-11-25T12:00", .open),
    ("18:00+", "2026-11-25T23:59", .open), ("18:00+", "2026-11-26T00:00", .closed),
    ("10:00-18:00+", "2026-11-25T18:00", .unknown), ("10:00-18:00+", "2026-11-25T17:59", .open),
    ("closed Mondays", "2026-11-23T12:00", .closed),
    ("Sa-Mo 10:00-12:00", "2026-11-29T11:00", .open),
    ("Sa-Mo 10:00-12:00", "2026-11-27T11:00", .closed),
  ])
  func `later rules replace earlier ones on their days, and off closes its times only`(
    _ hours: String,
    _ time: String,
    _ expected: Timetable.State
  ) throws {
    #expect(try state(hours, time) == expected)
  }

  // MARK: Dates

  @Test(arguments: [
    ["Dec 24-26 off", "2026-12-24 2026-12-26", "2026-12-23 2026-12-27"],
    ["Dec 24-Jan 2 off", "2026-12-24 2027-01-02", "2027-01-03 2026-06-01"],
    ["Dec 25,31 off", "2026-12-25 2026-12-31", "2026-12-30"],
    ["Nov-Feb off", "2026-11-01 2028-02-29", "2026-10-31 2027-03-01"],
    ["2026 Dec 25 off", "2026-12-25", "2027-12-25"],
    ["2026 Dec 20-2027 Jan 5 off", "2026-12-20 2027-01-05", "2027-12-25"],
    ["2026 Dec 20-Jan 5 off", "2027-01-05", "2026-01-05"],
    ["2026-2027 off", "2026-01-01 2027-12-31", "2025-12-31 2028-01-01"],
    ["easter off", "2026-04-05 2027-03-28 2038-04-25", "2026-04-04"],
    ["easter -2 days off", "2026-04-03", "2026-04-05"],
    ["easter -2 days-easter +1 day off", "2026-04-03 2026-04-06", "2026-04-02 2026-04-07"],
    ["Mo[1] off", "2026-11-02", "2026-11-09"],
    ["Mo[-1] off", "2026-11-30", "2026-11-23"],
    ["Mo[2-3,-1] off", "2026-11-09 2026-11-16 2026-11-30", "2026-11-02"],
    ["Th[4] +1 day off", "2026-11-27", "2026-11-26"],
    ["Oct Su[-1]-Mar Su[-1] off", "2026-10-25 2027-03-28", "2026-10-24 2027-03-29"],
    ["week 1 off", "2027-01-04 2025-12-29", "2026-12-28 2027-01-03"],
    ["week 2-53/2 off", "2026-11-25", "2026-11-18"],
    ["Feb 29 off", "2028-02-29", "2027-02-28 2027-03-01"],
    ["Dec 3 Th off", "2026-12-03", "2026-12-10 2027-12-03"],
    ["2026: Th off", "2026-11-26", "2026-11-27 2027-12-02"],
    ["Feb 10-29 off", "2027-02-28", "2027-03-01"],
  ])
  func `a rule for dates is for these days, and not for others`(_ row: [String]) throws {
    for (days, expected) in [(row[1], Timetable.State.closed), (row[2], .open)] {
      for day in days.split(separator: " ") {
        #expect(try state("24/7; " + row[0], day + "T12:00") == expected, "\(day)")
      }
    }
  }

  // MARK: What is not known

  @Test func `the state is unknown where the sun decides, and known elsewhere`() throws {
    #expect(try week("Mo 10:00-sunset") == "Mo 10:00-15:00,15:00-24:00?")
    #expect(try week("Mo sunrise-sunset") == "Mo 03:00-10:00?,10:00-15:00,15:00-24:00?")
    #expect(try week("Mo (sunset-02:00)-23:00") == "Mo 13:00-22:00?,22:00-23:00")
    #expect(try week("Mo sunset-02:00") == "Mo 15:00-24:00? Tu 00:00-02:00")
  }

  @Test func `holidays are told, and unknown on the two that are nearly everywhere`() throws {
    let hours = "Mo-Su 10:00-20:00; PH off"
    #expect(Timetable(hours)?.hasHolidays == true)
    #expect(try state(hours, "2026-12-24T12:00") == .open)
    #expect(try state(hours, "2026-12-25T12:00") == .unknown)
    #expect(try state(hours, "2026-12-25T21:00") == .closed)
    #expect(try state("Mo-Su,PH 10:00-20:00", "2026-12-25T12:00") == .open)
    #expect(try state("Mo-Su 20:00-04:00; PH off", "2026-12-26T02:00") == .open)
    // in school holidays only, which are not known
    #expect(try state("Mo-Fr 10:00-20:00; SH Mo-Fr 12:00-14:00", "2026-11-25T11:00") == .open)
    #expect(Timetable("Mo-Fr 10:00-20:00")?.hasHolidays == false)
  }

  // MARK: Variants

  @Test(arguments: [
    "Mo-Fr 11:00-14:30,17:00-22:00", "Mon-Fri 11:00-14:30, 17:00-22:00",
    "mo-fr 11.00-14.30,17.00-22.00",
    "Mo–Fr 11:00–14:30, 17:00–22:00", "Monday-Friday: 11:00 AM - 2:30 PM, 5 PM - 10 PM",
    "Mo - Fr 11:00 - 14:30 & 17:00 - 22:00", "Mon to Fri 11am-2:30pm and 5-10pm",
    "Mo-Fr 1100-1430,1700-2200",
    "Montag bis Freitag 11:00 bis 14:30 Uhr und 17:00 bis 22:00 Uhr", "Mo-Fr 11h-14h30/17h-22h",
    "Mo,Tu,We,Th,Fr 11:00-14:30 17:00-22:00", "Weekdays 11:00-14:30,17:00-22:00;",
    "Mo-Fr  11-14:30,17-22",
    "Mo-Fr: 11:00-14:30, Mo-Fr 17:00-22:00",
    "Mo-Th 11:00-14:30,17:00-22:00\nFr 11:00-14:30,17:00-22:00",
    "Mo-Fr 11:00-14:30,17:00-22:00; Sa,Su off", "lundi-vendredi 11:00-14:30,17:00-22:00",
    "Mo.-Fr. 11:00-14:30,17:00-22:00", "MO-FR 11:00-14:30,17:00-22:00 open",
    "Mo-Fr 11 a.m.-2:30 p.m., 5 p.m.-10 p.m.",
  ])
  func `what people write is read like OpenStreetMap's syntax`(_ hours: String) throws {
    let standard = try week("Mo-Fr 11:00-14:30,17:00-22:00")
    #expect(try week(hours) == standard)
    #expect(try week(hours)?.begins(with: "Mo 11:00-14:30,17:00-22:00 Tu 11:00") == true)
  }

  @Test(
    arguments: [
      ("", nil), (" ; ", nil), ("10:00", nil), ("see website", nil), ("Mo-Fr 10:00", nil),
      ("Mo-Fr 25:99-26:00", nil),
      ("Mo[9] 10:00-12:00", nil), ("Mo-Fr 10:00-12:00 \"open", nil), ("week 60 Mo", nil),
      ("13pm-14pm", nil),
      ("Mo-Fr 10:00-12:00 weather permitting", nil), ("{", nil), ("[]", nil), ("{\"a\":1}", nil),
      ("Dec 45", nil),
      ("Open 24 hours", "Mo 00:00-24:00"), ("Closed", ""), ("5 – 10 PM", "Mo 17:00-22:00"),
      ("11 – 2 PM", "Mo 11:00-14:00"), ("noon-midnight", "Mo 12:00-24:00"),
      ("12 PM-12 AM", "Mo 12:00-24:00"),
      ("open daily 10-20", "Mo 10:00-20:00"), ("Daily: 24 hours", "Mo 00:00-24:00"),
    ] as [(String, String?)]
  )
  func `a text is read, or is nil`(_ hours: String, _ monday: String?) throws {
    let week = try week(hours)
    #expect(week.map { $0.split(separator: " Tu").first.map(String.init) ?? "" } == monday)
  }

  @Test(arguments: [
    // times before their days
    ("11am-10pm daily", "Mo-Su 11:00-22:00"), ("11:00-22:00 täglich", "Mo-Su 11:00-22:00"),
    ("9:00 - 17:00 Mo - Fr", "Mo-Fr 09:00-17:00"),
    ("9am-5pm Mon-Fri, 10am-2pm Sat", "Mo-Fr 09:00-17:00; Sa 10:00-14:00"),
    ("10am-2pm Sat, Sun 11am-3pm", "Sa 10:00-14:00; Su 11:00-15:00"),
    ("11:00-14:00, 17:00-22:00 Mon, Wed & Fri", "Mo,We,Fr 11:00-14:00,17:00-22:00"),
    ("10:00-18:00 We-Mo, Tu off", "We-Mo 10:00-18:00"),
    ("Closed Monday, 11am-10pm Tue-Sun", "Tu-Su 11:00-22:00"),
    ("10:00-18:00 Tu off", "We-Mo 10:00-18:00"),
    // days in parentheses
    ("11:00-22:00 (closed Mondays)", "Tu-Su 11:00-22:00"),
    ("10:00-18:00 (Mo-Fr)", "Mo-Fr 10:00-18:00"),
    ("11 AM to 11 PM (Mon-Sat)", "Mo-Sa 11:00-23:00"),
    ("Sunday: (Closed), Mon 10:00-12:00", "Mo 10:00-12:00"),
    ("11:00-22:00 (do not ring)", "11:00-22:00"),
    ("Mo-Su 11:00-22:00 (closed on request)", "Mo-Su 11:00-22:00"),
    // times that may be years, and years
    ("Mo-Sa 1130-1430,1930-2200", "Mo-Sa 11:30-14:30,19:30-22:00"), ("1930-2200", "19:30-22:00"),
    ("Mo 2000-2300", "Mo 20:00-23:00"), ("2020-2030 Mo 10:00-12:00", "Mo 10:00-12:00"),
    ("10:00-12:00, 2026 Nov 18 off", "Mo,Tu,Th-Su 10:00-12:00"),
    // clocks of 12 hours
    ("Mon-Fri 11am-9", "Mo-Fr 11:00-21:00"), ("Tues-Sun 4pm-12", "Tu-Su 16:00-24:00"),
    ("Fr 10pm-2", "Fr 22:00-26:00"),
    ("9am-9", "09:00-21:00"), ("Mo 18-2", "Mo 18:00-26:00"), ("Mo 11-2 Uhr", "Mo 11:00-26:00"),
    ("Mo 11:0-1:0", "Mo 11:00-25:00"),
    // days before their month
    ("10:00-20:00; 17-19 Nov closed", "Mo,Fr-Su 10:00-20:00"),
    ("10:00-20:00; 18. November geschlossen", "Mo-Tu,Th-Su 10:00-20:00"),
    ("10:00-20:00; 30th Oct to 17 November off", "We-Su 10:00-20:00"),
    ("10:00-20:00; 18 Nov 2026 off", "Mo-Tu,Th-Su 10:00-20:00"),
    ("10:00-20:00; 18 Nov 2027 off", "10:00-20:00"),
  ])
  func `a text for people means the same as one of OpenStreetMap`(
    _ text: String,
    _ standard: String
  ) throws {
    let week = try #require(try week(standard))
    #expect(try self.week(text) == week)
  }

  @Test(arguments: [
    "Mon-Fri 9-5", "Mon-Fri 11-2", "Mo 8am-10", "Mon-Fri 9am-5pm, 10am-2pm Sat",
    "Mo 10:00-12:00 Tu",
    "11:00-22:00 (except Mondays)", "11:00～22:00(月曜定休)", "11:00-22:00 (kitchen closed Monday)",
    "24, 25 and 26 Dec closed", "closed Mondays, 11:00-22:00", "18 Nov 2026-2 Jan 2027 off",
  ])
  func `a text that may mean several things is not understood`(_ hours: String) {
    #expect(Timetable(hours) == nil)
  }

  @Test(arguments: ["closed Mondays", "Monday: Closed", "Mon,PH off", #"{"monday":"closed"}"#])
  func `rules that close some days say nothing about the others`(_ hours: String) throws {
    #expect(try state(hours, "2026-11-23T12:00") == .closed)
    #expect(try state(hours, "2026-11-24T12:00") == .unknown)
    #expect(try state("closed", "2026-11-24T12:00") == .closed)
    #expect(try state("Mo,PH off", "2026-11-24T12:00") == .closed)
  }

  @Test func `years before a month are years after times too`() throws {
    let hours = "Mo-Fr 10:00-20:00, 2026 Dec 24 off"
    #expect(try state(hours, "2026-12-24T12:00") == .closed)
    #expect(try state(hours, "2027-12-24T12:00") == .open)
    let easter = "Mo-Su 10:00-20:00, 2026 easter off"
    #expect(try state(easter, "2026-04-05T12:00") == .closed)
    #expect(try state(easter, "2027-03-28T12:00") == .open)
    let week = "Mo-Su 10:00-20:00, 2026 week 50 off"
    #expect(try state(week, "2026-12-08T12:00") == .closed)
    #expect(try state(week, "2026-12-15T12:00") == .open)
    #expect(try state("24/7; 24 Dec - 2 Jan off", "2027-01-02T12:00") == .closed)
    #expect(try state("24/7; 24 Dec - 2 Jan off", "2027-01-03T12:00") == .open)
  }

  // MARK: Objects

  @Test(arguments: [
    (
      #"[{"day":"Monday","hours":"11 AM to 10 PM"},{"day":"Tuesday","hours":"Closed"}]"#,
      "Mo 11:00-22:00; Tu off"
    ),
    (#"{"Sunday":"closed","Mon-Sat":"11:00-22:00"}"#, "Mo-Sa 11:00-22:00"),
    (#"{"timezone":"UTC","weekdays":"10:00-12:00","Sa":null}"#, "Mo-Fr 10:00-12:00"),
    (
      #"{"Monday":{"is_open":false,"open":"10:00","close":"22:00"},"Tuesday":{"closed":false,"open":"10:00","close":"22:00"}}"#,
      "Tu 10:00-22:00"
    ),
    (
      #"[{"@type":"OpeningHoursSpecification","dayOfWeek":"Monday"},{"dayOfWeek":"Tuesday","opens":"","closes":null}]"#,
      ""
    ),
    (
      #"{"Monday":{"from_":"10:00","to_":"22:00"},"Tuesday":"10:00-12:00"}"#,
      "Mo unknown; Tu 10:00-12:00"
    ),
  ])
  func `days of objects have texts, times, or neither`(_ object: String, _ standard: String) throws
  {
    let wanted = standard.isEmpty ? "Mo-Tu off" : standard
    let (found, standard) = (try #require(Timetable(object)), try #require(Timetable(wanted)))
    let monday = try time("2026-11-16T00:00")
    for day in 0..<2 {
      for hour in 0..<24 {
        let time = LocalTime(day: monday.day + day, minute: hour * 60)
        #expect(found.state(at: time) == standard.state(at: time), "\(day) \(hour)")
      }
    }
  }

  private let standard = "Mo 11:00-22:00 Fr 11:00-26:00 Sa 11:00-14:00,17:00-26:00"

  @Test(arguments: [
    // Google, new and legacy
    """
    {"periods":[{"open":{"day":1,"hour":11,"minute":0},"close":{"day":1,"hour":22,"minute":0}},\
    {"open":{"day":5,"hour":11,"minute":0},"close":{"day":6,"hour":2,"minute":0}},\
    {"open":{"day":6,"hour":11},"close":{"day":6,"hour":14}},{"open":{"day":6,"hour":17},"close":{"day":0,"hour":2}}]}
    """,
    """
    {"open_now":true,"periods":[{"open":{"day":1,"time":"1100"},"close":{"day":1,"time":"2200"}},\
    {"open":{"day":5,"time":"1100"},"close":{"day":6,"time":"0200"}},{"open":{"day":6,"time":"1100"},\
    "close":{"day":6,"time":"1400"}},{"open":{"day":6,"time":"1700"},"close":{"day":0,"time":"0200"}}]}
    """,
    """
    {"weekdayDescriptions":["Monday: 11:00\u{202F}AM\u{2009}–\u{2009}10:00\u{202F}PM","Tuesday: Closed",\
    "Wednesday: Closed","Thursday: Closed","Friday: 11:00 AM – 2:00 AM",\
    "Saturday: 11:00 AM – 2:00 PM, 5:00 PM – 2:00 AM","Sunday: Closed"]}
    """,
    "Monday: 11:00 AM – 10:00 PM; Friday: 11:00 AM – 2:00 AM; Saturday: 11:00 AM – 2:00 PM, 5:00 PM – 2:00 AM",
    // Yelp: the service and the dataset
    """
    [{"open":[{"is_overnight":false,"start":"1100","end":"2200","day":0},{"is_overnight":true,"start":"1100",\
    "end":"0200","day":4},{"is_overnight":false,"start":"1100","end":"1400","day":5},{"is_overnight":true,\
    "start":"1700","end":"0200","day":5}],"hours_type":"REGULAR","is_open_now":false}]
    """,
    #"{"Monday":"11:0-22:0","Friday":"11:0-2:0","Saturday":"11:0-14:0, 17:0-2:0"}"#,
    #"{"mon":["11:00-22:00"],"tue":[],"fri":{"open":"11:00","close":"02:00"},"sat":["11:00-14:00","17:00-02:00"]}"#,
    // Foursquare
    """
    {"open_now":true,"regular":[{"day":1,"open":"1100","close":"2200"},{"day":5,"open":"1100","close":"+0200"},\
    {"day":6,"open":"1100","close":"1400"},{"day":6,"open":"1700","close":"+0200"}]}
    """,
    #"{"display":"Mon 11:00-22:00; Fri 11:00-2:00; Sat 11:00-14:00, 17:00-2:00","is_local_holiday":false}"#,
    """
    {"status":"Open","timeframes":[{"days":"Mon","open":[{"renderedTime":"11:00 AM–10:00 PM"}]},{"days":"Fri",\
    "open":[{"renderedTime":"11:00 AM–2:00 AM"}]},{"days":"Sat","open":[{"renderedTime":"11:00 AM–2:00 PM"},\
    {"renderedTime":"5:00 PM–2:00 AM"}]}]}
    """,
    // schema.org
    """
    [{"@type":"OpeningHoursSpecification","dayOfWeek":"https://schema.org/Monday","opens":"11:00","closes":"22:00"},\
    {"dayOfWeek":["Friday"],"opens":"11:00:00","closes":"02:00:00"},{"dayOfWeek":["Saturday"],"opens":"11:00",\
    "closes":"14:00"},{"dayOfWeek":["Saturday"],"opens":"17:00","closes":"02:00"},\
    {"dayOfWeek":"Sunday","opens":"00:00","closes":"00:00"},\
    {"opens":"10:00","closes":"12:00","validFrom":"2026-12-24","validThrough":"2026-12-26"}]
    """,
  ])
  func `the objects of services are read`(_ hours: String) throws {
    #expect(try week(hours) == standard)
    #expect(try week(hours)?.isEmpty == false)
  }

  @Test func `periods that never end, last for days, or are of a season`() throws {
    #expect(
      try state(#"{"periods":[{"open":{"day":0,"time":"0000"}}]}"#, "2026-11-25T03:00") == .open
    )
    let days = #"{"periods":[{"open":{"day":5,"time":"1800"},"close":{"day":0,"time":"1400"}}]}"#
    #expect(try week(days) == "Fr 18:00-24:00 Sa 00:00-24:00 Su 00:00-14:00")
    let season = """
      [{"dayOfWeek":"Monday","opens":"11:00","closes":"22:00"},{"dayOfWeek":"Monday","opens":"12:00",\
      "closes":"14:00","validFrom":"2026-11-16","validThrough":"2026-11-22"}]
      """
    #expect(try week(season) == "Mo 12:00-14:00")
    #expect(try week(season, of: "2026-11-25T12:00") == "Mo 11:00-22:00")
  }

  // MARK: The week and the next opening

  @Test func `the week has each night at the day it began on`() throws {
    #expect(try week("Fr-Su 20:00-03:00") == "Fr 20:00-27:00 Sa 20:00-27:00 Su 20:00-27:00")
    #expect(try week("Fr 20:00-24:00; Sa 00:00-03:00") == "Fr 20:00-27:00")
    #expect(try week("Sa-Su 00:00-24:00") == "Sa 00:00-24:00 Su 00:00-24:00")
    #expect(try week("Mo-We 11:00-22:00; 2026 Nov 17 off") == "Mo 11:00-22:00 We 11:00-22:00")
    #expect(try week("Dec 10:00-12:00") == "")
  }

  @Test func `the next opening is found, also after months`() throws {
    let next = { (hours: String, after: String) in
      Timetable(hours)?.nextOpening(after: try self.time(after))?.description
    }
    #expect(try next("Mo-Fr 10:00-12:00,14:00-16:00", "2026-11-27T11:00") == "2026-11-27T14:00")
    #expect(try next("Mo-Fr 10:00-12:00", "2026-11-27T11:00") == "2026-11-30T10:00")
    #expect(try next("Fr 20:00-03:00", "2026-11-28T01:00") == "2026-12-04T20:00")
    #expect(try next("Jun-Aug 10:00-12:00", "2026-11-27T11:00") == "2027-06-01T10:00")
    #expect(try next("24/7", "2026-11-27T11:00") == nil)
    #expect(try next("off", "2026-11-27T11:00") == nil)
    #expect(try next("Mo 10:00-12:00", "2026-11-30T09:59") == "2026-11-30T10:00")
  }

  // MARK: Local times

  @Test func `days have their numbers, weekdays and weeks as Foundation has them`() throws {
    var random = SplitMix64(stream: "hours")
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for _ in 0..<3_000 {
      let number = Int.random(in: -25_567...200_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(number) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday, .weekOfYear], from: date)
      let day = CalendarDay(number)
      #expect([day.year, day.month, day.day] == [parts.year, parts.month, parts.day])
      #expect((day.weekday + 1) % 7 + 1 == parts.weekday && day.week == parts.weekOfYear)
      #expect(CalendarDay.number(day.year, day.month, day.day) == number)
      #expect(LocalTime(date, in: calendar.timeZone).day == number)
    }
    #expect(LocalTime(year: 2027, month: 2, day: 29, minute: 0) == nil)
    #expect(LocalTime(year: 2026, month: 11, day: 27, minute: 1_440) == nil)
    #expect(try time("2026-11-27T09:05").description == "2026-11-27T09:05")
    #expect(try time("2026-11-27T09:05").weekday == 4)
  }

  // MARK: Hostile texts

  @Test func `hostile texts are bounded and never crash`() throws {
    var random = SplitMix64(stream: "hours")
    let pieces = [
      "Mo", "-", ",", ";", "|", "||", "10:00", "99:99", "24", "/7", "\"", "(", ")", "[", "]", "+",
      " ", "PH", "SH",
      "easter", "week", "2026", "9999", "Dec", "31", "sunset", "off", "open", "am", "pm", ":", ".",
      "é", "٣", "\u{301}",
      "{", "}", "[{", "\"periods\":", "1", "day", "days", "&", "48:00", "to", "noon", "Feb", "29",
      "\n", "\0", "h",
    ]
    let probe = try time("2026-12-25T12:00")
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...30, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      guard let timetable = Timetable(text) else { continue }
      _ = (timetable.state(at: probe), timetable.week(of: probe), timetable.isDated)
    }
    for piece in pieces {
      let text = String(
        repeating: piece + " ",
        count: Timetable.maximumLength / (piece.utf8.count + 1)
      )
      _ = Timetable(text)?.state(at: probe)
    }
    let long = String(repeating: "Mo-Fr 10:00-12:00;", count: 1_000)
    #expect(Timetable(long) == nil && Timetable(String(long.prefix(7_200))) != nil)
  }
}

import Foundation
import Testing

@testable import GeoQuery

/// Dates as feeds write them: which day each is, and which texts are none.
struct CalendarDayTests {
  @Test(arguments: [
    "2026-11-30", "2026-11-30T23:59:59Z", "2026-11-30T00:00:00.000+05:30", "2026-11-30 23:59:59",
    "2026-11-30Z", "2026-11-30T23:59", "2026/11/30", "2026.11.30", "20261130", "20261130T235959Z",
    "11/30/2026", "11/30/2026 11:59 PM", "11/30/26", "30/11/2026", "11-30-2026", "30-11-2026",
    "30.11.2026", "30.11.26", "30.11.2026 23:59", "Nov 30, 2026", "November 30 2026",
    "Nov. 30th, 2026", "30 Nov 2026", "30. November 2026", "30-Nov-2026", "2026 Nov 30",
    "NOV 30, 2026 11:59:59 PM", "Mon, 30 Nov 2026 23:59:59 GMT", "Monday, November 30, 2026",
    "Mon Nov 30 23:59:59 2026", "Mon Nov 30 23:59:59 UTC 2026", " 2026-11-30\n",
    "1796083199", "1795996800", "1796083199000", "1796083199.5",
  ])
  func `a date is read in its usual forms`(text: String) throws {
    let day = try #require(CalendarDay(parsing: text))
    #expect(day.description == "2026-11-30")
    #expect(day.title == "30 Nov 2026")
  }

  @Test(arguments: [
    ("1/2/2026", "2026-01-02"), ("13/2/2026", "2026-02-13"), ("1.2.2026", "2026-02-01"),
    ("2024-02-29", "2024-02-29"), ("9999-12-31", "9999-12-31"), ("1900-01-01", "1900-01-01"),
    ("May 1, 2026", "2026-05-01"), ("Sept 9, 2026", "2026-09-09"), ("100000000", "1973-03-03"),
    ("9999999999", "2286-11-20"), ("999999999999", "2001-09-09"),
  ])
  func `slashes have the month first, periods the day`(text: String, day: String) {
    #expect(CalendarDay(parsing: text)?.description == day)
  }

  @Test(arguments: [
    "", " ", "soon", "NaN", "null", "never", "2026", "2026-11", "2026-02-30", "2025-02-29",
    "13/13/2026", "0/1/2026", "31.11.2026", "Nov 31, 2026", "0000-00-00", "1899-12-31",
    "99999999999999", "12345678901", "-1796083199", "1e9", "20261330",
    "2026-11-301", "2026-11-30 while supplies last", "until Nov 30, 2026", "Nov 2026", "Mon",
    "2026-11-30\u{202E}", "２０２６-１１-３０", "11/30/202", "2026-1-", "Janx 30, 2026", "Ma 1, 2026",
    String(repeating: "9", count: 100_000), "2026-11-30" + String(repeating: " 0", count: 50_000),
  ])
  func `what is not a date is none`(text: String) {
    #expect(CalendarDay(parsing: text) == nil)
  }

  @Test func `every day of four centuries is read back from its texts, as Foundation writes them`()
  {
    let forms = ["yyyy-MM-dd", "MM/dd/yyyy", "d.M.yyyy", "MMM d, yyyy", "EEE, dd MMMM yyyy"]
    let formatters = forms.map { form in
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = form
      return formatter
    }
    for number in stride(from: -25_000, to: 120_000, by: 97) {
      let date = Date(timeIntervalSince1970: Double(number) * 86_400)
      for formatter in formatters {
        #expect(CalendarDay(parsing: formatter.string(from: date))?.number == number)
      }
    }
  }

  @Test func `an offer is valid on the whole of its last day`() throws {
    var offer = Offer(id: "a", name: "A", source: "s")
    let days = ["2026-11-29", "2026-11-30", "2026-12-01"].map { CalendarDay(parsing: $0) }
    #expect(days.map { offer.isExpired(on: $0) } == [false, false, false])
    offer.expiration = "2026-11-30T00:00:00Z"
    #expect(days.map { offer.isExpired(on: $0) } == [false, false, true])
    #expect(!offer.isExpired(on: nil))
    offer.expiration = "soon"
    #expect(offer.expires == nil && !offer.isExpired(on: days[2]))
  }
}

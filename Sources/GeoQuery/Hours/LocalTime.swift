public import Foundation

/// A date and a time to the minute as a clock on the wall shows it, without a time zone.
public struct LocalTime: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Days since 1970-01-01.
  package let day: Int

  /// Minutes since midnight: 0 to 1 439.
  public let minute: Int

  /// Makes a time; nil if there is no such day or minute.
  ///
  /// - Parameters:
  ///   - year: In the Gregorian calendar: 1900 to 9999.
  ///   - month: 1 to 12.
  ///   - day: The day of the month, from 1.
  ///   - minute: Minutes since midnight: 0 to 1 439.
  public init?(year: Int, month: Int, day: Int, minute: Int) {
    guard (1900...9999).contains(year), (1...12).contains(month), (0..<1_440).contains(minute),
      day >= 1, day <= CalendarDay.length(ofMonth: month, in: year)
    else { return nil }
    self.init(day: CalendarDay.number(year, month, day), minute: minute)
  }

  /// The time that clocks show at an instant; cut to the range of years.
  ///
  /// - Parameters:
  ///   - instant: The instant.
  ///   - zone: The time zone of the clocks.
  public init(_ instant: Date, in zone: TimeZone = .current) {
    let offset = Double(zone.secondsFromGMT(for: instant))
    let seconds = min(253_402_300_799, max(-2_208_988_800, instant.timeIntervalSince1970 + offset))
    let minutes = Int((seconds / 60).rounded(.down))
    let day = Int((seconds / 86_400).rounded(.down))
    self.init(day: day, minute: minutes - day * 1_440)
  }

  /// What the clocks of this machine show.
  package static var now: LocalTime { LocalTime(Date()) }

  init(day: Int, minute: Int) {
    self.day = day
    self.minute = minute
  }

  /// The day of the week: 0 for Monday to 6 for Sunday.
  public var weekday: Int { CalendarDay.weekday(day) }

  /// As in ISO 8601: `2026-12-24T12:30`.
  public var description: String {
    let date = CalendarDay(day)
    return "\(date.year)-\(twoDigits(date.month))-\(twoDigits(date.day))T\(clock(minute))"
  }

  /// Whether one time is before another.
  public static func < (left: LocalTime, right: LocalTime) -> Bool {
    (left.day, left.minute) < (right.day, right.minute)
  }
}

/// Minutes since midnight as on a clock: `09:30`; past midnight the hours go on: `26:00`.
package func clock(_ minute: Int) -> String {
  "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))"
}

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// A day of the Gregorian calendar, by its number from 1970-01-01.
///
/// The formulas of H. Hinnant's *chrono-Compatible Low-Level Date Algorithms* (2013): years begin in
/// March, and 400 of them have 146 097 days.
struct CalendarDay {
  let number: Int
  let year: Int
  let month: Int
  let day: Int

  init(_ number: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    self.number = number
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func weekday(_ number: Int) -> Int { ((number + 3) % 7 + 7) % 7 }

  static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  var weekday: Int { Self.weekday(number) }

  /// The week by ISO 8601: that of its Thursday.
  var week: Int {
    let thursday = CalendarDay(number - weekday + 3)
    return (thursday.number - Self.number(thursday.year, 1, 1)) / 7 + 1
  }

  /// Easter Sunday.
  ///
  /// Butcher's algorithm, in J. Meeus, *Astronomical Algorithms*, chapter 8.
  static func easter(_ year: Int) -> Int {
    let (a, b, c) = (year % 19, year / 100, year % 100)
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7
    let sum = h + l - 7 * ((a + 11 * h + 22 * l) / 451) + 114
    return number(year, sum / 31, sum % 31 + 1)
  }
}

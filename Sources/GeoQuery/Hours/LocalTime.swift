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
    guard let day = CalendarDay(year: year, month: month, day: day), (0..<1_440).contains(minute)
    else { return nil }
    self.init(day: day.number, minute: minute)
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
    "\(CalendarDay(day))T\(clock(minute))"
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

/// A day of the Gregorian calendar.
///
/// By its number from 1970-01-01. The formulas of H. Hinnant's *chrono-Compatible Low-Level Date
/// Algorithms* (2013): years begin in March, and 400 of them have 146 097 days.
public struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
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

  /// Makes a day of 1900 to 9999; nil if there is none.
  init?(year: Int, month: Int, day: Int) {
    guard (1900...9999).contains(year), (1...12).contains(month),
      day >= 1, day <= Self.length(ofMonth: month, in: year)
    else { return nil }
    self.init(Self.number(year, month, day))
  }

  /// Today, by the clock and the time zone of this machine.
  public static var today: CalendarDay { CalendarDay(LocalTime.now.day) }

  /// As in ISO 8601: `2026-11-30`.
  public var description: String { "\(year)-\(twoDigits(month))-\(twoDigits(day))" }

  /// For people: `30 Nov 2026`.
  package var title: String { "\(day) \(Self.months[month - 1].prefix(3).capitalized) \(year)" }

  /// Whether one day is before another.
  public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    left.number < right.number
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

// MARK: - Instants as programs write them

extension CalendarDay {
  /// Seconds since 1970 in UTC of an RFC 3339 date-time, or of the first moment of a full date; nil for
  /// other texts.
  package static func seconds(ofInstant text: String) -> Double? {
    let date = #/([0-9]{4})-([0-9]{2})-([0-9]{2})/#
    let time =
      #/[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?(?:[Zz]|([-+])([0-9]{2}):([0-9]{2}))/#
    func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
    guard let found = text.prefixMatch(of: date) else { return nil }
    let (year, month, day) = (
      number(found.output.1), number(found.output.2), number(found.output.3)
    )
    guard 1...12 ~= month, 1...length(ofMonth: month, in: year) ~= day else { return nil }
    let midnight = self.number(year, month, day) * 86_400
    let rest = text[found.range.upperBound...]
    if rest.isEmpty { return Double(midnight) }
    guard let clock = rest.wholeMatch(of: time)?.output else { return nil }
    let (hour, minute, second) = (number(clock.1), number(clock.2), number(clock.3))
    let (zoneHour, zoneMinute) = (number(clock.6), number(clock.7))
    // a leap second is the 60th
    guard hour < 24, minute < 60, second <= 60, zoneHour < 24, zoneMinute < 60 else { return nil }
    let zone = (zoneHour * 60 + zoneMinute) * (clock.5 == "-" ? -60 : 60)
    let fraction = Double("0\(clock.4 ?? "")") ?? 0
    return Double(midnight + (hour * 60 + minute) * 60 + second - zone) + fraction
  }
}

// MARK: - Days as feeds write them

extension CalendarDay {
  /// Reads a date as feeds write it, without regard to case; nil if it is not one of 1900 to 9999.
  ///
  /// A time after it and the zone are ignored: the day is the one that is written. Numbers with
  /// slashes or hyphens have the month first, unless there is no such month; with periods, the day. A
  /// number of 9 or 10 digits is the seconds since 1970, one of 12 or 13 the milliseconds; their day is
  /// that of UTC.
  ///
  /// - Parameter text: `2026-11-30`, `20261130`, `11/30/2026`, `30.11.2026`, `Nov 30, 2026`, or as in
  ///   RFC 9110, `Mon, 30 Nov 2026 23:59:59 GMT`. Names of months are English.
  public init?(parsing text: String) {
    guard text.utf8.count <= 64 else { return nil }
    var bytes = text.trimmed.lowercased().utf8[...]
    if let day = Self.ofEpoch(bytes) {
      self.init(day)
      return
    }
    let word = bytes.prefix(while: \.isLetter)
    if word.count > 2, Self.weekdays.contains(where: { $0.utf8.starts(with: word) }) {
      bytes = bytes.dropFirst(word.count).drop { " ,.".utf8.contains($0) }
    }
    guard let day = Self.forms.lazy.compactMap({ Self.day(bytes, as: $0) }).first else {
      return nil
    }
    self = day
  }

  /// The forms of a date, in the order in which they are tried.
  ///
  /// Y is a year of four digits, y also one of two; M and D have one or two digits, m and d two; N is
  /// the name of a month, o the ending of an ordinal, _ what may be between words, T a time or a zone.
  private static let forms = [
    "Y-M-D", "Y/M/D", "Y.M.D", "Ymd", "M/D/y", "D/M/y", "M-D-Y", "D-M-Y", "D.M.y",
    "N_Do_Y", "Do_N_Y", "Y_N_D", "N_D_T_Y", "N_D_T_T_Y",
  ]

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  private static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// The words of a time and its zone.
  private static let timeWords: Set<String> = [
    "t", "z", "at", "am", "pm", "utc", "gmt", "est", "edt", "cst", "cdt", "mst", "mdt", "pst",
    "pdt", "bst", "cet", "cest",
  ]

  /// The number of the day of seconds or milliseconds since 1970; nil if it is not such a number.
  private static func ofEpoch(_ text: Substring.UTF8View) -> Int? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.allSatisfy(\.isDigit) }),
      let number = Int(String(Substring(parts[0])))
    else { return nil }
    return switch parts[0].count {
    case 9, 10: number / 86_400
    case 12, 13: number / 86_400_000
    default: nil
    }
  }

  /// The day at the beginning of a text; nil if it has another form, or something else follows.
  private static func day(_ text: Substring.UTF8View, as form: String) -> CalendarDay? {
    var rest = text
    var (year, month, day) = (0, 0, 0)
    func number(_ counts: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix(counts.upperBound).prefix(while: \.isDigit)
      guard digits.count >= counts.lowerBound else { return nil }
      rest = rest.dropFirst(digits.count)
      return Int(String(Substring(digits)))
    }
    for sign in form.utf8 {
      let length = rest.count
      switch sign {
      case UInt8(ascii: "Y"):
        guard let found = number(4...4) else { return nil }
        year = found
      case UInt8(ascii: "y"):
        guard let found = number(4...4) ?? number(2...2).map({ $0 + 2_000 }) else { return nil }
        year = found
      case UInt8(ascii: "M"), UInt8(ascii: "m"):
        guard let found = number(sign == UInt8(ascii: "m") ? 2...2 : 1...2) else { return nil }
        month = found
      case UInt8(ascii: "D"), UInt8(ascii: "d"):
        guard let found = number(sign == UInt8(ascii: "d") ? 2...2 : 1...2) else { return nil }
        day = found
      case UInt8(ascii: "N"):
        let word = rest.prefix(while: \.isLetter)
        guard word.count > 2, let index = months.firstIndex(where: { $0.utf8.starts(with: word) })
        else { return nil }
        month = index + 1
        rest = rest.dropFirst(word.count)
      case UInt8(ascii: "o"):
        let ending = rest.prefix(while: \.isLetter)
        if ["st", "nd", "rd", "th"].contains(where: { $0.utf8.elementsEqual(ending) }) {
          rest = rest.dropFirst(2)
        }
      case UInt8(ascii: "_"):
        rest = rest.drop { " ,.-".utf8.contains($0) }
        guard rest.count < length else { return nil }
      case UInt8(ascii: "T"):
        rest = rest.drop { $0 != UInt8(ascii: " ") }
        guard rest.count < length else { return nil }
      default:
        guard rest.first == sign else { return nil }
        rest = rest.dropFirst()
      }
    }
    guard isTime(rest) else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }

  /// Whether nothing follows a date but a time and its zone.
  private static func isTime(_ rest: Substring.UTF8View) -> Bool {
    guard rest.first?.isDigit != true else { return false }
    let words = rest.split { !$0.isLetter }
    return words.allSatisfy { timeWords.contains(String(Substring($0))) }
      && rest.allSatisfy { $0.isLetter || $0.isDigit || " ,.:+-()".utf8.contains($0) }
  }
}

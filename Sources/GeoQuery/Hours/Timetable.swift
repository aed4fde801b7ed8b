/// What opening hours mean: rules, each for some days, with its times and the state in them.
///
/// Made by ``init(_:)`` from what feeds have. The times are those of the restaurant's place. Rules are
/// combined as the specification of OpenStreetMap's `opening_hours` says: a rule replaces the rules
/// before it on the days it is for, the rest of the night before included; one that says `off` does so at
/// its times only; one after a comma is added; one after `||` counts at times that are closed without it.
/// Texts for people and the objects of services keep the nights: a rule replaces the days before it with
/// their nights.
///
/// Where sunrise or sunset decides, the state is unknown: it depends on place and date. Holidays are not
/// known either: no day is taken for one, except that on January 1 and December 25 the state is
/// unknown if the rules for public holidays decide it (see ``hasHolidays``).
public struct Timetable: Sendable, Hashable {
  /// Whether a restaurant is open.
  public enum State: UInt8, Sendable, Hashable, Comparable {
    /// Closed.
    case closed
    /// It depends on what the hours do not say.
    case unknown
    /// Open.
    case open

    /// Orders closed before unknown, and that before open.
    public static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
  }

  /// A time of one state, in minutes since the midnight before it; it may end on the next day.
  public struct Span: Sendable, Hashable {
    /// The minutes: 1 440 is the midnight at the end of the day.
    public let minutes: Range<Int>
    /// Open or unknown.
    public let state: State
  }

  let rules: [Rule]

  /// Whether a night belongs to the day it began on, whatever the rules of the next day.
  let keepsNights: Bool

  /// Whether rules name public or school holidays, so that the hours of a holiday may differ.
  public var hasHolidays: Bool { rules.contains { $0.hasHolidays } }

  /// Whether the hours are not the same in every week.
  public var isDated: Bool { rules.contains { $0.isDated } }

  /// The state at a time.
  ///
  /// - Complexity: O(rules).
  public func state(at time: LocalTime) -> State {
    let state = state(on: time.day, time.minute, onHolidays: false)
    guard Self.isHoliday(time.day) || Self.isHoliday(time.day - 1), hasHolidays else {
      return state
    }
    return state == self.state(on: time.day, time.minute, onHolidays: true) ? state : .unknown
  }

  /// The next time at which it opens, after a time at which it may be open.
  ///
  /// - Parameters:
  ///   - time: The time from which to look.
  ///   - days: The number of days to look ahead.
  /// - Returns: Nil if it does not open in these days.
  /// - Complexity: O(days · rules · times).
  public func nextOpening(after time: LocalTime, within days: Int = 366) -> LocalTime? {
    var last = state(at: time)
    for day in time.day...(time.day + max(0, days)) {
      for change in changes(on: day) where day > time.day || change.minute > time.minute {
        if change.state == .open, last != .open {
          return LocalTime(day: day, minute: change.minute)
        }
        last = change.state
      }
    }
    return nil
  }

  /// The times of a week when it is not closed: seven days, Monday first.
  ///
  /// A night that ends until noon is a part of the day before.
  ///
  /// - Parameter time: A time in the week.
  /// - Returns: The times of each day, in their order.
  /// - Complexity: O(rules · times).
  public func week(of time: LocalTime) -> [[Span]] {
    let monday = time.day - time.weekday
    var week = [[Span]](repeating: [], count: 7)
    var run = (start: -1_440, state: State.closed)
    // the day before and the day after have nights that begin or end in this week
    let all = (-1...7).flatMap { day in
      changes(on: monday + day).map { (minute: day * 1_440 + $0.minute, state: $0.state) }
    }
    for change in all + [(minute: 8 * 1_440, state: State.closed)] where change.state != run.state {
      if run.state != .closed {
        while run.start < change.minute {
          let day = (run.start + 1_440) / 1_440 - 1
          let midnight = (day + 1) * 1_440
          let end = change.minute <= midnight + 720 ? change.minute : midnight
          if week.indices.contains(day) {
            let minutes = (run.start - day * 1_440)..<(end - day * 1_440)
            week[day].append(Span(minutes: minutes, state: run.state))
          }
          run.start = end
        }
      }
      run = (change.minute, change.state)
    }
    return week
  }

  /// The minutes of a day at which the state may change, each with the state from then on.
  func changes(on day: Int) -> [(minute: Int, state: State)] {
    let ends = rules.flatMap { $0.spans.flatMap { [$0.start % 1_440, $0.end % 1_440] } }
    var changes: [(minute: Int, state: State)] = []
    for minute in Set(ends + [0]).sorted() {
      let state = state(at: LocalTime(day: day, minute: minute))
      if changes.last?.state != state { changes.append((minute, state)) }
    }
    return changes
  }

  private func state(on day: Int, _ minute: Int, onHolidays: Bool) -> State {
    let (today, yesterday) = (CalendarDay(day), CalendarDay(day - 1))
    func found(_ date: CalendarDay, _ minute: Int, nights: Bool) -> State {
      var found: State?
      for rule in rules {
        let isToday = rule.applies(to: date, onHolidays)
        let isNight = nights && rule.hasNights && rule.applies(to: yesterday, onHolidays)
        guard isToday || isNight else { continue }
        let own = rule.state(at: minute, isToday: isToday, isNight: isNight)
        switch rule.joint {
        case .replacing where isToday && rule.state != .closed: found = own
        case .fallback where (found ?? .closed) != .closed: break
        default: found = own ?? found
        }
      }
      return found ?? .closed
    }
    guard keepsNights else { return found(today, minute, nights: true) }
    let own = found(today, minute, nights: false)
    return max(own, found(yesterday, minute + 1_440, nights: false))
  }

  /// Whether a day is a public holiday nearly everywhere.
  static func isHoliday(_ day: Int) -> Bool {
    let date = CalendarDay(day)
    return (date.month == 1 && date.day == 1) || (date.month == 12 && date.day == 25)
  }
}

extension Timetable {
  /// A rule of a timetable.
  struct Rule: Sendable, Hashable {
    /// How a rule is combined with those before it.
    enum Joint {
      case replacing, adding, fallback
    }

    var joint = Joint.replacing
    var years: [Numbers] = []
    var weeks: [Numbers] = []
    var dates: [Dates] = []
    var weekdays: [Weekdays] = []
    var isForPublicHolidays = false
    var isForSchoolHolidays = false
    /// Whether it is for these weekdays in holidays, not for both.
    var isWithinHolidays = false
    var spans: [Times] = []
    var state = State.open

    /// Whether the rule is not for all days.
    var isForSomeDays: Bool { isDated || hasHolidays || !weekdays.isEmpty }

    var hasHolidays: Bool { isForPublicHolidays || isForSchoolHolidays }
    var hasNights: Bool { spans.contains { $0.end > 1_440 } }
    var isDated: Bool {
      !years.isEmpty || !weeks.isEmpty || !dates.isEmpty || weekdays.contains { $0.nth != 0 }
    }

    /// Numbers from one to another, by steps; around the end of the year if the first is greater.
    struct Numbers: Sendable, Hashable {
      var first: Int
      var last: Int
      var step = 1

      func contain(_ number: Int) -> Bool {
        let isBetween =
          first <= last ? number >= first && number <= last : number >= first || number <= last
        return isBetween && (number - first) % step == 0
      }
    }

    /// Weekdays from one to another; with a bit of `nth`, of the first (bit 0) to fifth such day of a month,
    /// or of the last (bit 5) to fifth last.
    struct Weekdays: Sendable, Hashable {
      var days: Numbers
      var nth: UInt16 = 0
      /// Days after such a day.
      var offset = 0

      func contain(_ date: CalendarDay) -> Bool {
        let date = offset == 0 ? date : CalendarDay(date.number - offset)
        guard days.contain(date.weekday) else { return false }
        let length = CalendarDay.length(ofMonth: date.month, in: date.year)
        let bits = 1 << ((date.day - 1) / 7) | 32 << ((length - date.day) / 7)
        return nth == 0 || Int(nth) & bits != 0
      }
    }

    /// Minutes since midnight at which a rule has its state, or may have it.
    struct Times: Sendable, Hashable {
      var start: Int
      var end: Int
      var isCertain = true

      static let day = Times(start: 0, end: 1_440)
    }

    /// Whether it is for a day; holidays are those of `Timetable.isHoliday`, if any.
    func applies(to date: CalendarDay, _ onHolidays: Bool) -> Bool {
      guard years.isEmpty || years.contains(where: { $0.contain(date.year) }),
        dates.isEmpty || dates.contains(where: { $0.contain(date) }),
        weeks.isEmpty || weeks.contains(where: { $0.contain(date.week) })
      else { return false }
      let isWeekday = weekdays.contains { $0.contain(date) }
      guard hasHolidays else { return weekdays.isEmpty || isWeekday }
      let isHoliday = onHolidays && isForPublicHolidays && Timetable.isHoliday(date.number)
      return isWithinHolidays ? isHoliday && isWeekday : isHoliday || isWeekday
    }

    /// The state at a minute if it is for this day, or for the one before; nil outside its times.
    func state(at minute: Int, isToday: Bool, isNight: Bool) -> State? {
      var found: State?
      for span in spans {
        let isWithin =
          (isToday && minute >= span.start && minute < span.end)
          || (isNight && minute + 1_440 >= span.start && minute + 1_440 < span.end)
        if isWithin {
          if span.isCertain { return state }
          found = .unknown
        }
      }
      return found
    }
  }

  /// Days from one date to another, of each year or of one.
  struct Dates: Sendable, Hashable {
    var first: Day
    var last: Day
    /// Whether it is one day, so that February 29 is not a day of every year.
    var isSingle = false

    /// A day of a year.
    struct Day: Sendable, Hashable {
      enum Anchor: Sendable, Hashable {
        case date(month: Int, day: Int)
        case weekday(Int, month: Int, nth: Int)
        case easter
      }

      var year: Int?
      var anchor: Anchor
      /// Days after it.
      var offset = 0
      /// The next (1) or the last (-1) such weekday from there on.
      var weekday = 0
      var direction = 0

      /// Its number in a year; February 29 is the day after or before if there is none.
      func number(in year: Int, isFirst: Bool) -> Int {
        var number: Int
        switch anchor {
        case .date(let month, let day):
          let length = CalendarDay.length(ofMonth: month, in: year)
          let missing = day > length ? (isFirst ? 1 : 0) : 0
          number = CalendarDay.number(year, month, min(day, length)) + missing
        case .weekday(let weekday, let month, let nth):
          let length = CalendarDay.length(ofMonth: month, in: year)
          let edge = CalendarDay.number(year, month, nth > 0 ? 1 : length)
          let distance =
            nth > 0 ? weekday - CalendarDay.weekday(edge) : CalendarDay.weekday(edge) - weekday
          let days = (distance + 7) % 7 + 7 * (abs(nth) - 1)
          number = nth > 0 ? edge + days : edge - days
        case .easter: number = CalendarDay.easter(year)
        }
        number += offset
        let distance = (weekday - CalendarDay.weekday(number)) * direction
        return direction == 0 ? number : number + (distance + 7) % 7 * direction
      }
    }

    func contain(_ date: CalendarDay) -> Bool {
      // a range may have begun in the last year, and offsets may lead to the next
      let years = first.year.map { $0...$0 } ?? (date.year - 1)...(date.year + 1)
      return years.contains { year in
        let start = first.number(in: year, isFirst: true)
        if isSingle { return start == date.number && isExact(in: year) }
        var end = last.number(in: last.year ?? year, isFirst: false)
        if end < start, last.year == nil { end = last.number(in: year + 1, isFirst: false) }
        return start <= date.number && date.number <= end
      }
    }

    private func isExact(in year: Int) -> Bool {
      guard case .date(let month, let day) = first.anchor else { return true }
      return day <= CalendarDay.length(ofMonth: month, in: year)
    }
  }
}

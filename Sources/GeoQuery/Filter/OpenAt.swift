/// The restaurants that are open at a time, which is the local time of each.
public struct OpenAt: Sendable, Hashable {
  /// The time.
  public var time: LocalTime

  /// Whether restaurants whose hours are not known match too.
  public var includesUnknown: Bool

  /// Whether only restaurants match whose hours are not known, so that they can be counted.
  package var isUnknownOnly = false

  /// Makes a condition.
  public init(_ time: LocalTime, includesUnknown: Bool = false) {
    self.time = time
    self.includesUnknown = includesUnknown
  }

  /// Reads a time as people write it: `now`, `12:30`, `Fri 12:30`, `2026-12-24 12:30`.
  ///
  /// A time without a day is that of today; a weekday is the next one, today included. Between date
  /// and time stands a blank or `T`.
  ///
  /// - Parameters:
  ///   - text: The time.
  ///   - now: What the clock of the caller says.
  ///   - includesUnknown: Whether restaurants whose hours are not known match too.
  /// - Throws: `QueryError` if it is not such a time.
  public init(_ text: String, now: LocalTime, includesUnknown: Bool = false) throws(QueryError) {
    guard let time = Self.time(text, now) else {
      throw QueryError(
        "open",
        "expected now, 12:30, Fri 12:30 or 2026-12-24 12:30, got \"\(shortened(text))\""
      )
    }
    self.init(time, includesUnknown: includesUnknown)
  }

  private static func time(_ text: String, _ now: LocalTime) -> LocalTime? {
    let lower = text.utf8.count <= 64 ? text.lowercased() : ""
    let parts = lower.utf8.split {
      $0 == 0x20 || $0 == UInt8(ascii: "t") && lower.utf8.first.map { $0 < 0x3A } == true
    }
    .map { Array($0) }
    if parts.count == 1, parts[0].elementsEqual("now".utf8) { return now }
    guard let last = parts.last, let minute = minute(last) else { return nil }
    if parts.count == 1 { return LocalTime(day: now.day, minute: minute) }
    guard parts.count == 2 else { return nil }
    if let weekday = HoursWord.day(parts[0]) {
      return LocalTime(day: now.day + (weekday - now.weekday + 7) % 7, minute: minute)
    }
    let date = parts[0].split(separator: UInt8(ascii: "-")).map(number)
    guard parts[0].count == 10, date.count == 3, let year = date[0], let month = date[1],
      let day = date[2]
    else {
      return nil
    }
    return LocalTime(year: year, month: month, day: day, minute: minute)
  }

  private static func minute(_ text: [UInt8]) -> Int? {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      let hour = number(parts[0]),
      let minute = number(parts[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// The condition in bytes, equal for equal ones.
  var bytes: [UInt8] {
    Array("\(time)".utf8) + [includesUnknown ? 1 : 0, isUnknownOnly ? 1 : 0]
  }

  /// Whether a state matches.
  package func matches(_ state: Timetable.State) -> Bool {
    isUnknownOnly ? state == .unknown : state == .open || (includesUnknown && state == .unknown)
  }
}

extension Filter {
  /// The filter for those of its restaurants whose hours are not known; nil if it asks for no time.
  ///
  /// `engine.count` with it tells how many there are.
  public var unknownHours: Filter? {
    guard open != nil else { return nil }
    var filter = self
    filter.open?.isUnknownOnly = true
    return filter
  }
}

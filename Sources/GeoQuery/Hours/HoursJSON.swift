extension Timetable {
  /// The hours of a JSON object or list as text for the parser; nil if there are none.
  ///
  /// Reads Google's `periods` (0 is Sunday), `weekdayDescriptions` and `weekday_text`; Yelp's `open`
  /// (0 is Monday) and its dataset's texts by weekday; Foursquare's `regular` (1 is Monday), `timeframes`
  /// and `display`; schema.org's `openingHoursSpecification`.
  static func text(ofJSON json: String) -> String? {
    guard let value = try? JSONValue(parsing: Array(json.utf8)) else { return nil }
    let lines = Self.lines(of: value)
    // hours of a season or a day replace the others on these days
    let text = lines.filter { !$0.isDated }.map(\.text).joined(separator: ", ")
    let dated = lines.filter(\.isDated).map { "; " + $0.text }.joined()
    return lines.isEmpty ? nil : text + dated
  }

  private typealias Line = (text: String, isDated: Bool)

  private static let days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]

  private static func lines(of value: JSONValue) -> [Line] {
    guard case .array(let elements) = value else { return objectLines(of: value) }
    let texts = elements.compactMap(\.asText)
    if texts.count == elements.count {
      return texts.isEmpty ? [] : [(texts.joined(separator: "; "), false)]
    }
    return elements.flatMap { lines(of: $0) }
  }

  private static func objectLines(of value: JSONValue) -> [Line] {
    guard case .object(let members) = value else { return [] }
    if case .array(let periods)? = value[name: "periods"] {
      let found = periods.flatMap { periodLines(of: $0) }
      if !found.isEmpty { return found }
    }
    for name in ["weekdayDescriptions", "weekday_text", "regular", "timeframes"] {
      let found = value[name: name].map { lines(of: $0) } ?? []
      if !found.isEmpty { return found }
    }
    if let display = value[name: "display"]?.asText, !display.isEmpty { return [(display, false)] }
    if case .array(let frames)? = value[name: "open"] {
      // a time frame of Foursquare, or the hours of Yelp
      guard let days = value[name: "days"]?.asText else { return frames.flatMap { lines(of: $0) } }
      let times = frames.compactMap { $0[name: "renderedTime"]?.asText }
      return times.isEmpty ? [] : [(days + ": " + times.joined(separator: ", "), false)]
    }
    let byDay = members.filter { HoursWord.beginsWithDay($0.name) }
    guard byDay.isEmpty else {
      return byDay.map { ($0.name + " " + (times(of: $0.value) ?? "off"), false) }
    }
    return line(of: value).map { [$0] } ?? []
  }

  /// Members of the object of a day that have no times.
  private static let plainMembers: Set = [
    "@type", "dayOfWeek", "day", "days", "validFrom", "validThrough",
  ]

  /// The times of a day; nil if it is closed.
  private static func times(of value: JSONValue) -> String? {
    switch value {
    case .array(let elements):
      let times = elements.compactMap(times)
      return times.isEmpty ? nil : times.joined(separator: ", ")
    case .object(let members):
      func text(_ names: [String]) -> String? {
        names.lazy.compactMap { value[name: $0]?.asText }.first { !$0.isEmpty }
      }
      func has(_ names: [String], _ wanted: Bool) -> Bool {
        names.contains { value[name: $0] == .bool(wanted) }
      }
      if has(["closed", "isClosed", "is_closed"], true)
        || has(["isOpen", "is_open", "open"], false)
      {
        return nil
      }
      if let times = text(["hours", "times", "time"]) { return times }
      guard let start = text(["opens", "open", "start", "from"]),
        let end = text(["closes", "close", "end", "to"])
      else {
        // times under other names are unknown
        let isPlain = members.allSatisfy {
          plainMembers.contains($0.name) || [.null, .string("")].contains($0.value)
        }
        return isPlain ? nil : "unknown"
      }
      // schema.org says so of a day that is closed
      if value[name: "opens"] != nil, start == end { return nil }
      return start + "-" + end.trimming { $0 == "+" }
    default: return value.asText.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// A line of an object with days and times.
  private static func line(of value: JSONValue) -> Line? {
    func name(_ day: JSONValue) -> String? {
      switch day {
      case .string(let text): return text.parts(between: "/").last
      case .number(let token):
        // Yelp's first day is Monday, Foursquare's is 1
        let base = value[name: "start"] == nil ? 1 : 0
        return wholeNumber(token).flatMap {
          days.indices.contains($0 - base) ? days[$0 - base] : nil
        }
      case .array(let elements):
        let names = elements.compactMap(name)
        return names.isEmpty ? nil : names.joined(separator: ",")
      default: return nil
      }
    }
    let named = ["dayOfWeek", "day", "days"].lazy.compactMap { value[name: $0] }.first.flatMap(name)
    let range = ["validFrom", "validThrough"].compactMap { date(value[name: $0]?.asText) }
    guard named != nil || value[name: "opens"] != nil || !range.isEmpty else { return nil }
    let dates =
      range.isEmpty ? "" : range.joined(separator: "-") + (range.count == 1 ? "+" : "") + " "
    return (dates + (named ?? "Mo-Su") + " " + (times(of: value) ?? "off"), !range.isEmpty)
  }

  /// A date of ISO 8601 as the parser reads it: `2026 Dec 24`.
  private static func date(_ text: String?) -> String? {
    guard let parts = text?.prefix(10).split(separator: "-").map({ Int($0) }), parts.count == 3,
      let year = parts[0], let month = parts[1], let day = parts[2], (1...12).contains(month)
    else { return nil }
    let months = "JanFebMarAprMayJunJulAugSepOctNovDec".dropFirst(3 * (month - 1)).prefix(3)
    return "\(year) \(months) \(day)"
  }

  /// The lines of a period of Google, which may last several days; without an end it never closes.
  private static func periodLines(of period: JSONValue) -> [Line] {
    func minute(_ point: JSONValue?) -> (day: Int, minute: Int)? {
      guard case .number(let day)? = point?[name: "day"], let day = Int(day), (0...6).contains(day)
      else {
        return nil
      }
      if let time = point?[name: "time"]?.asText.flatMap({ Int($0) }) {
        return (0...2_400).contains(time) ? (day, time / 100 * 60 + time % 100) : nil
      }
      func number(_ name: String) -> Int {
        if case .number(let token)? = point?[name: name] { Int(token) ?? 0 } else { 0 }
      }
      let minute = number("hour") &* 60 &+ number("minute")
      return (0...1_440).contains(minute) ? (day, minute) : nil
    }
    guard var (day, start) = minute(period[name: "open"]) else { return [] }
    guard let close = minute(period[name: "close"]) else { return [("24/7", false)] }
    var end = close.minute + (close.day - day + 7) % 7 * 1_440
    if end <= start { end += 7 * 1_440 }
    var lines: [Line] = []
    while end > 2_160 {
      lines.append(("\(days[(day + 6) % 7]) \(clock(start))-24:00", false))
      (day, start, end) = (day + 1, 0, end - 1_440)
    }
    return lines + [("\(days[(day + 6) % 7]) \(clock(start))-\(clock(end))", false)]
  }
}

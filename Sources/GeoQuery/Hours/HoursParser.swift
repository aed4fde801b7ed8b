extension Timetable {
  /// The longest text that is read, in bytes of UTF-8.
  public static let maximumLength = 8_192

  /// Reads opening hours as feeds have them, which is what `Restaurant.hours` holds.
  ///
  /// Texts: OpenStreetMap's `opening_hours` (specification 0.7.2), with what its evaluators tolerate
  /// and people write: `Mon-Fri`, `10.00`, `11am-2pm`, other dashes, names of days in other languages, days
  /// after times or in parentheses, days before their month;
  /// lines such as `Monday: 11:00 AM – 10:00 PM` of Google and Foursquare; schema.org's `openingHours`.
  /// Objects as JSON: see `HoursJSON.swift`.
  ///
  /// - Returns: Nil if it is longer than ``maximumLength``, or not understood.
  /// - Complexity: O(length).
  public init?(_ hours: String) {
    guard hours.utf8.count <= Self.maximumLength else { return nil }
    let isJSON = hours.utf8.first { $0 != 0x20 }.map("{[".utf8.contains) ?? false
    guard let text = isJSON ? Self.text(ofJSON: hours) : hours else { return nil }
    var parser = HoursParser(text)
    guard var rules = parser.readRules(), !rules.isEmpty else { return nil }
    keepsNights = parser.isForPeople || isJSON
    if keepsNights, rules.allSatisfy({ $0.state == .closed && $0.isForSomeDays }) {
      // `closed Mondays` tells nothing about the other days; OpenStreetMap's `Mo off` does
      rules.insert(Rule(spans: [.day], state: .unknown), at: 0)
    }
    self.rules = rules
  }
}

/// Words of opening hours, in lower case without accents.
enum HoursWord: Equatable {
  case day(Int)
  case days(Int, Int)
  case month(Int)
  case publicHoliday, schoolHoliday, easter, week
  case state(Timetable.State)
  case time(Int)
  case sun(Int, Int)
  case to, and, am, pm, hour

  /// The longest word.
  static let maximumLength = 12

  /// A word by its letters.
  static let known: [UInt64: HoursWord] = {
    var known: [UInt64: HoursWord] = [:]
    func add(_ words: String, _ meaning: HoursWord) {
      for word in words.split(separator: " ") { known[key(word.utf8)] = meaning }
    }
    let days = [
      "mo mon monday mondays montag montags lundi lunes lunedi maandag",
      "tu tue tues tuesday tuesdays di dienstag dienstags mardi martes martedi dinsdag",
      "we wed weds wednesday wednesdays mi mittwoch mittwochs mercredi miercoles mercoledi woensdag",
      "th thu thur thurs thursday thursdays do donnerstag donnerstags jeudi jueves giovedi donderdag",
      "fr fri friday fridays freitag freitags vendredi viernes venerdi vrijdag",
      "sa sat saturday saturdays samstag samstags samedi sabado sabato zaterdag",
      "su sun sunday sundays so sonntag sonntags dimanche domingo domenica zondag",
    ]
    for (day, words) in days.enumerated() { add(words, .day(day)) }
    let months = [
      "jan january januar", "feb february februar", "mar march", "apr april", "may mai",
      "jun june juni",
      "jul july juli", "aug august", "sep sept september", "oct october okt oktober",
      "nov november",
      "dec december dez dezember",
    ]
    for (month, words) in months.enumerated() { add(words, .month(month + 1)) }
    add("ph", .publicHoliday)
    add("sh", .schoolHoliday)
    add("easter", .easter)
    add("noon midday", .time(720))
    add("midnight", .time(0))
    add("week weeks kw", .week)
    add("daily everyday taglich tgl", .days(0, 6))
    add("weekdays werktags", .days(0, 4))
    add("weekends wochenende", .days(5, 6))
    add("off closed geschlossen ruhetag ferme cerrado chiuso gesloten", .state(.closed))
    add("open geoffnet", .state(.open))
    add("unknown", .state(.unknown))
    add("to bis till til until through thru", .to)
    add("and und et", .and)
    add("am a", .am)
    add("pm p", .pm)
    add("h hr hrs hour hours uhr stunden", .hour)
    // the sun rises and sets in these hours wherever people live, as a rule
    add("dawn sunrise", .sun(180, 600))
    add("sunset dusk", .sun(900, 1_440))
    return known
  }()

  /// The weekday that lower-case letters name; nil for other texts.
  static func day(_ letters: some Collection<UInt8>) -> Int? {
    guard letters.count <= maximumLength, letters.allSatisfy({ $0 &- 0x61 < 26 }),
      case .day(let day)? = known[key(letters)]
    else { return nil }
    return day
  }

  /// Whether a text begins with a day or days.
  static func beginsWithDay(_ text: String) -> Bool {
    let letters = text.lowercased().utf8.prefix { $0 &- 0x61 < 26 }
    return switch letters.count <= maximumLength ? known[key(letters)] : nil {
    case .day?, .days?, .publicHoliday?: true
    default: false
    }
  }

  /// At most twelve lower-case letters as a number, five bits each.
  static func key(_ letters: some Sequence<UInt8>) -> UInt64 {
    letters.reduce(0) { $0 << 5 | UInt64($1 & 31) }
  }
}

/// Reads texts of opening hours, in one pass with bounded looks ahead.
struct HoursParser {
  typealias Rule = Timetable.Rule

  /// Whether the text is for people: it spells days out or has times of 12 hours.
  private(set) var isForPeople = false

  /// A byte for each scalar of the text: lower case, accents dropped, 0xFF for other scripts.
  private var bytes: [UInt8]
  private var index = 0

  init(_ text: String) {
    bytes = text.unicodeScalars.map(Self.plain)
  }

  /// The character as the grammar has it.
  private static func plain(_ scalar: Unicode.Scalar) -> UInt8 {
    switch scalar.value {
    case 0x41...0x5A: UInt8(scalar.value + 0x20)
    case 0x09: UInt8(ascii: " ")
    case 0x0A, 0x0D: UInt8(ascii: ";")
    case 0x20..<0x7F: UInt8(scalar.value)
    case 0xA0, 0x2000...0x200F, 0x202F, 0x3000, 0xFEFF: UInt8(ascii: " ")
    case 0x2010...0x2015, 0x2212, 0xFF0D, 0x301C, 0xFF5E: UInt8(ascii: "-")
    case 0x201C...0x201F: UInt8(ascii: "\"")
    case 0xFF1A: UInt8(ascii: ":")
    case 0x3001, 0xFF0C: UInt8(ascii: ",")
    default: folded(String(scalar)).utf8.first.flatMap { $0 < 0x80 ? $0 : nil } ?? 0xFF
    }
  }

  /// The rules of the whole text; nil if it is not understood.
  mutating func readRules() -> [Rule]? {
    var rules: [Rule] = []
    var joint = Rule.Joint.replacing
    var isDivided = true
    while true {
      while take(";") {}
      guard next != nil else { return rules }
      if take("|") {
        guard take("|") else { return nil }
        joint = .fallback
        continue
      }
      guard var rule = readRule(isDivided: isDivided) else { return nil }
      rule.joint = rules.isEmpty ? .replacing : joint
      rules.append(rule)
      // a rule ends before one of these, or before the days of the next
      joint = next == UInt8(ascii: ";") ? .replacing : .adding
      isDivided = isAtEndOfRule
      while take(",") {}
    }
  }

  /// Whether what ends a rule follows, other than the days of the next.
  private var isAtEndOfRule: Bool {
    byte(skippingBlanks()).map { ";|,".utf8.contains($0) } ?? true
  }

  /// Reads one rule, to what ends it; nil if that is not one.
  ///
  /// After a rule from which nothing divides it, days without times may be those of the rule before.
  private mutating func readRule(isDivided: Bool) -> Rule? {
    var rule = Rule()
    // a state before the days is for those after it: `closed Mondays`
    var (hasSelector, hasState, isPrefix, hasComment) = (false, false, false, false)
    // the rule with what it omits
    func finished() -> Rule? {
      guard hasSelector || hasState || hasComment || !rule.spans.isEmpty else { return nil }
      if rule.spans.isEmpty {
        guard isDivided || hasState || hasComment else { return nil }
        // words instead of times: what they mean is not known
        if hasComment, !hasState { rule.state = .unknown }
        rule.spans = [.day]
      }
      return rule
    }
    while let byte = next, byte != UInt8(ascii: ";"), byte != UInt8(ascii: "|") {
      let isDone = !rule.spans.isEmpty || (hasState && !isPrefix)
      switch byte {
      case UInt8(ascii: "\""):
        guard skipComment(to: "\"") else { return nil }
        hasComment = true
      case UInt8(ascii: "("):
        if case .sun? = word(at: index + 1)?.word {
          guard readTimes(into: &rule) else { return nil }
        } else if !openParentheses(afterTimes: !rule.spans.isEmpty) {
          guard skipComment(to: ")") else { return nil }
          hasComment = true
        }
      case UInt8(ascii: ":"):
        guard hasSelector || hasComment else { return nil }
        index += 1
      case UInt8(ascii: ","), UInt8(ascii: "&"), UInt8(ascii: "/"), UInt8(ascii: "+"):
        guard hasSelector || hasState || isDone || hasComment else { return nil }
        let start = index
        index += 1
        // a comma divides days or times; before the days of another rule, and after a state, it divides rules
        let isAtTime = isAtTime(in: rule)
        if isDone, byte != UInt8(ascii: ","), !isAtTime { return nil }
        if isDone ? (hasState && !isPrefix) || !isAtTime : !hasSelector {
          index = start
          return finished()
        }
        if isPrefix, hasSelector, rule.state == .closed, isAtTime {
          // `closed Mondays, 11:00-22:00 Tu-Su`; without other days it may be open on these days
          var look = self
          guard let next = look.readRule(isDivided: true), next.isForSomeDays else { return nil }
          index = start
          return finished()
        }
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if let (dates, end) = datesBeforeMonth() {
          if isDone { return finished() }
          rule.dates.append(dates)
          index = end
          hasSelector = true
        } else if isAtYear(in: rule) {
          if isDone { return finished() }
          guard readYears(into: &rule) else { return nil }
          hasSelector = true
        } else if hasState, !isPrefix, rule.state == .closed || !rule.spans.isEmpty {
          return nil
        } else {
          guard readTimes(into: &rule) else { return nil }
        }
      default:
        guard let (word, end) = word(at: index) else { return nil }
        switch word {
        case .day, .days, .month, .publicHoliday, .schoolHoliday, .easter, .week:
          if isDone {
            if !hasSelector { readDaysAfterTimes(into: &rule) }
            return finished()
          }
          guard readSelector(word, end, into: &rule) else { return nil }
          hasSelector = true
        case .state(let state):
          guard !hasState else { return nil }
          index = end
          rule.state = state
          hasState = true
          isPrefix = !hasSelector && rule.spans.isEmpty
        case .time, .sun: guard readTimes(into: &rule) else { return nil }
        case .and where hasSelector || isDone: index = end
        default: return nil
        }
      }
    }
    return finished()
  }

  // MARK: Days

  private mutating func readSelector(_ word: HoursWord, _ end: Int, into rule: inout Rule) -> Bool {
    switch word {
    case .month, .easter: return readDates(from: nil, into: &rule)
    case .week:
      index = end
      repeat {
        guard let first = takeNumber(upTo: 2, in: 1...53),
          let weeks = takeNumbers(from: first, upTo: 2, in: 1...53)
        else { return false }
        rule.weeks.append(weeks)
      } while takeSeparator()
      return true
    case .publicHoliday, .schoolHoliday:
      index = end
      if word == .publicHoliday {
        rule.isForPublicHolidays = true
      } else {
        rule.isForSchoolHolidays = true
      }
      // `SH Mo-Fr`: these days in the holidays; `SH,Mo-Fr` and `PH off`: both, and holidays alone
      if rule.weekdays.isEmpty, case .day? = self.word(at: skippingBlanks())?.word {
        rule.isWithinHolidays = true
      }
      // before or after holidays is not a holiday
      if readOffset() != 0 { (rule.isForPublicHolidays, rule.isForSchoolHolidays) = (false, true) }
      return true
    default: return readWeekdays(word, end, into: &rule)
    }
  }

  /// Reads the days of `11:00-14:00 Mo-Fr, Su`, as far as no times or state follow, which make them the next
  /// rule's.
  private mutating func readDaysAfterTimes(into rule: inout Rule) {
    var (look, days) = (self, rule)
    while let (word, end) = look.word(at: look.skippingBlanks()) {
      switch word {
      case .and: look.index = end
      case .day, .days, .month, .publicHoliday, .schoolHoliday, .easter, .week:
        guard look.readSelector(word, end, into: &days) else { return }
        if look.isAtEndOfRule { (self, rule) = (look, days) }
        _ = look.take(",") || look.take("&")
      default: return
      }
    }
  }

  private mutating func readWeekdays(_ word: HoursWord, _ end: Int, into rule: inout Rule) -> Bool {
    func note(_ end: Int) { if end - index > 2 { isForPeople = true } }
    var days = Rule.Weekdays(days: Rule.Numbers(first: 0, last: 6))
    note(end)
    index = end
    if case .days(let first, let last) = word { days.days = Rule.Numbers(first: first, last: last) }
    if case .day(let first) = word {
      days.days = Rule.Numbers(first: first, last: first)
      if next == UInt8(ascii: ".") { index += 1 }
      let start = index
      if takeTo() {
        if case (.day(let last), let end)? = self.word(at: skippingBlanks()) {
          index = skippingBlanks()
          note(end)
          index = end
          days.days.last = last
          if next == UInt8(ascii: ".") { index += 1 }
        } else {
          index = start
        }
      } else if take("[") {
        repeat {
          let isFromEnd = take("-")
          guard let first = takeNumber(upTo: 1, in: 1...5) else { return false }
          var last = first
          if !isFromEnd, take("-") {
            guard let number = takeNumber(upTo: 1, in: first...5) else { return false }
            last = number
          }
          for nth in first...last { days.nth |= 1 << UInt16(nth - 1 + (isFromEnd ? 5 : 0)) }
        } while take(",")
        guard take("]") else { return false }
        days.offset = readOffset()
      }
    }
    rule.weekdays.append(days)
    return true
  }

  /// Reads ` +1 day` or ` -2 days`; 0 if there is none.
  private mutating func readOffset() -> Int {
    let start = index
    let isBackward = next == UInt8(ascii: "-")
    if isBackward || next == UInt8(ascii: "+") {
      index += 1
      if let days = takeNumber(upTo: 3), takeWord("days") || takeWord("day") {
        return isBackward ? -days.value : days.value
      }
    }
    index = start
    return 0
  }

  // MARK: Dates

  /// Whether a year begins here, not a time as in `1930-2200`, which may follow days and times.
  private func isAtYear(in rule: Rule) -> Bool {
    var look = self
    guard let year = look.takeNumber(upTo: 4), year.count == 4,
      (1_900..<2_100).contains(year.value),
      !(byte(look.index) == UInt8(ascii: ":") && byte(look.index + 1)?.isDigit == true)
    else { return false }
    let word = look.word(at: look.skippingBlanks())?.word
    if case .month? = word { return true }
    if word == .easter || word == .week { return true }
    guard rule.weekdays.isEmpty, rule.spans.isEmpty else { return false }
    return !look.takeTo() || (look.takeNumber(upTo: 4)?.value ?? 0) < 2_100
  }

  /// The dates that begin here with a day before its month, and the index after them; nil if there are none.
  ///
  /// `24 Dec`, `24.-26. Dezember`, `24th December - 2nd January`.
  private func datesBeforeMonth() -> (Timetable.Dates, end: Int)? {
    var look = self
    func takeDay() -> Int? {
      guard let day = look.takeDayOfMonth() else { return nil }
      if look.byte(look.index) == UInt8(ascii: ".") { look.index += 1 }
      return day
    }
    func takeMonth() -> Int? {
      guard case (.month(let month), let end)? = look.word(at: look.skippingBlanks()) else {
        return nil
      }
      look.index = byte(end) == UInt8(ascii: ".") ? end + 1 : end
      return month
    }
    guard let day = takeDay() else { return nil }
    var days = (first: day, last: day)
    let isRange = look.takeTo()
    if isRange {
      guard let last = takeDay() else { return nil }
      days.last = last
    }
    guard let month = takeMonth() else { return nil }
    var dates = Timetable.Dates(
      first: Timetable.Dates.Day(anchor: .date(month: month, day: days.first)),
      last: Timetable.Dates.Day(anchor: .date(month: month, day: days.last)),
      isSingle: !isRange
    )
    let end = look.index
    if !isRange, look.takeTo(), let day = takeDay(), let month = takeMonth() {
      dates.last.anchor = .date(month: month, day: day)
      dates.isSingle = false
      return (dates, look.index)
    }
    return (dates, end)
  }

  /// Reads `2026`, `2026-2028/2`, `2026+`, lists of these, or the date that a year begins.
  private mutating func readYears(into rule: inout Rule) -> Bool {
    repeat {
      guard let first = takeNumber(upTo: 4), first.count == 4 else { return false }
      switch word(at: skippingBlanks())?.word {
      case .month?, .easter?: return readDates(from: first.value, into: &rule)
      default: break
      }
      if take("+") {
        rule.years.append(Rule.Numbers(first: first.value, last: 9999))
        continue
      }
      guard let years = takeNumbers(from: first.value, upTo: 4, in: first.value...9999) else {
        return false
      }
      rule.years.append(years)
    } while takeSeparator()
    return true
  }

  /// Reads dates from the month or Easter on: `Dec 24-26`, `Jan-Mar`, `easter -2 days`, `Oct Su[-1]+`.
  private mutating func readDates(from year: Int?, into rule: inout Rule) -> Bool {
    guard let (first, hasDay) = readDay(of: year) else { return false }
    var dates = Timetable.Dates(first: first, last: first, isSingle: hasDay)
    if !hasDay { dates.last.anchor = Self.endOfMonth(first.anchor) }
    if take("+") {
      dates = Timetable.Dates(first: first, last: first)
      dates.last = Timetable.Dates.Day(
        year: year.map { _ in 9999 },
        anchor: .date(month: 12, day: 31)
      )
    } else if takeTo() {
      dates.isSingle = false
      var lastYear: Int?
      if isAtYear(in: Rule()) { lastYear = takeNumber(upTo: 4)?.value }
      switch word(at: skippingBlanks())?.word {
      case .month?, .easter?:
        // the weekday in `Apr-Oct Su[2]` is one of every month
        guard let (last, hasDay) = readDay(of: lastYear, isWeekday: hasDay) else { return false }
        dates.last = last
        if !hasDay { dates.last.anchor = Self.endOfMonth(last.anchor) }
      default:
        guard case .date(let month, _) = first.anchor, hasDay, let day = takeDayOfMonth() else {
          return false
        }
        dates.last = Timetable.Dates.Day(year: lastYear, anchor: .date(month: month, day: day))
        dates.last.offset = readOffset()
      }
    }
    rule.dates.append(dates)
    // `Dec 25,26` and `Dec 24-26,31`
    while hasDay, case .date(let month, _) = dates.last.anchor {
      let start = index
      guard take(","), let day = takeDayOfMonth() else {
        index = start
        break
      }
      var more = Timetable.Dates.Day(year: year, anchor: .date(month: month, day: day))
      let first = more
      let isRange = take("-")
      if isRange {
        guard let last = takeDayOfMonth() else { return false }
        more.anchor = .date(month: month, day: last)
      }
      rule.dates.append(Timetable.Dates(first: first, last: more, isSingle: !isRange))
    }
    return true
  }

  private static func endOfMonth(_ anchor: Timetable.Dates.Day.Anchor) -> Timetable.Dates.Day.Anchor
  {
    if case .date(let month, _) = anchor { .date(month: month, day: 31) } else { anchor }
  }

  /// Reads a month, with its day or weekday if there is one, or Easter, and the offset.
  private mutating func readDay(
    of year: Int?,
    isWeekday: Bool = true
  ) -> (Timetable.Dates.Day, hasDay: Bool)? {
    guard let (word, end) = word(at: skippingBlanks()) else { return nil }
    index = end
    if word == .easter {
      return (Timetable.Dates.Day(year: year, anchor: .easter, offset: readOffset()), true)
    }
    guard case .month(let month) = word else { return nil }
    if next == UInt8(ascii: ".") { index += 1 }
    var day = Timetable.Dates.Day(year: year, anchor: .date(month: month, day: 1))
    if let number = takeDayOfMonth() {
      day.anchor = .date(month: month, day: number)
    } else if isWeekday, case (.day(let weekday), let end)? = self.word(at: skippingBlanks()),
      byte(end) == UInt8(ascii: "[")
    {
      let start = index
      index = end + 1
      let isFromEnd = take("-")
      guard let nth = takeNumber(upTo: 1, in: 1...5), take("]"),
        next != UInt8(ascii: ",")
      else {
        // weekdays of the month: `Dec Su[1,3]`
        index = start
        return (day, false)
      }
      day.anchor = .weekday(weekday, month: month, nth: isFromEnd ? -nth : nth)
    } else {
      return (day, false)
    }
    let sign = skippingBlanks()
    let isForward = byte(sign) == UInt8(ascii: "+")
    if isForward || byte(sign) == UInt8(ascii: "-"),
      case (.day(let weekday), let end)? = self.word(at: sign + 1)
    {
      (day.weekday, day.direction) = (weekday, isForward ? 1 : -1)
      index = end
    }
    day.offset = readOffset()
    return (day, true)
  }

  /// Takes a day of a month; nil if a time is here, such as `10:00`.
  private mutating func takeDayOfMonth() -> Int? {
    let start = index
    guard let number = takeNumber(upTo: 2, in: 1...31),
      !(byte(index) == UInt8(ascii: ":") && byte(index + 1)?.isDigit == true)
    else {
      index = start
      return nil
    }
    // `4th`, but `4 Th` has a Thursday
    if byte(index)?.isLetter == true {
      guard ["st", "nd", "rd", "th"].contains(where: { takeWord($0) }) else { return nil }
    }
    return number
  }

  // MARK: Times

  /// Whether a time begins after blanks.
  private func isAtTime(in rule: Rule) -> Bool {
    let start = skippingBlanks()
    if byte(start)?.isDigit == true { return !isAtYear(in: rule) }
    switch word(at: byte(start) == UInt8(ascii: "(") ? start + 1 : start)?.word {
    case .time?, .sun?: return true
    default: return false
    }
  }

  /// Reads a span of time: `11:00-22:00`, `5pm-2am`, `18:00+`, `10:00-sunset`, `24/7`, `24 hours`.
  private mutating func readTimes(into rule: inout Rule) -> Bool {
    guard let first = takeTime() else { return false }
    guard takeTo() else {
      if first.minutes == 1_440, take("/") {
        guard takeNumber(upTo: 1)?.value == 7 else { return false }
        rule.spans.append(.day)
        return true
      }
      if first.minutes == 1_440, first.isHours {
        rule.spans.append(.day)
        return true
      }
      guard take("+") else { return false }
      let (start, sure) = (first.window.lowerBound, first.window.upperBound)
      if start < sure { rule.spans.append(Rule.Times(start: start, end: sure, isCertain: false)) }
      let end = sure < 1_440 ? 1_440 : 2_880
      if start == sure || sure < 1_440 { rule.spans.append(Rule.Times(start: sure, end: end)) }
      return true
    }
    // until it ends: open, but no time is named
    guard let last = takeTime() else { return false }
    var (start, end) = (first.window, last.window)
    if first.meridiem != nil, last.isOfHalfDay {
      // `11am - 9`: the next 9 on the clock, which has to be plain: `8am - 10` is not
      var next = end.lowerBound % 720
      while next <= start.lowerBound { next += 720 }
      guard next >= 720 else { return false }
      end = next...next
    }
    // `9-5`: on a clock of 12 or of 24 hours
    if first.isBare, last.isBare, end.lowerBound <= start.lowerBound { return false }
    if first.meridiem == nil, let meridiem = last.meridiem, start.upperBound <= 780 {
      // `5 – 10 PM`; `11 – 2 PM` begins in the morning
      let shifted = Self.minutes(start.lowerBound, meridiem)
      start = shifted...shifted
      if shifted >= end.lowerBound, meridiem == .pm {
        let morning = Self.minutes(first.window.lowerBound, .am)
        start = morning...morning
      }
    }
    if end.upperBound <= start.lowerBound {
      end = (end.lowerBound + 1_440)...(end.upperBound + 1_440)
    }
    guard end.upperBound <= 2_880 else { return false }
    let certain = start.upperBound < end.lowerBound ? start.upperBound..<end.lowerBound : nil
    if start.count > 1 || certain == nil {
      let edge = certain?.lowerBound ?? end.upperBound
      rule.spans.append(Rule.Times(start: start.lowerBound, end: edge, isCertain: false))
    }
    if let certain {
      rule.spans.append(Rule.Times(start: certain.lowerBound, end: certain.upperBound))
    }
    if certain != nil, end.count > 1 {
      rule.spans.append(Rule.Times(start: end.lowerBound, end: end.upperBound, isCertain: false))
    }
    if take("+"), end.upperBound < 1_440 {
      rule.spans.append(Rule.Times(start: end.upperBound, end: 1_440, isCertain: false))
    }
    // an interval, as in `10:00-16:00/01:30`, which is not another span
    let mark = index
    if take("/") {
      let isInterval = takeTime() != nil && !takeTo()
      if !isInterval { index = mark }
    }
    return true
  }

  private struct Time {
    var window: ClosedRange<Int>
    var meridiem: HoursWord?
    /// Whether it was written as a number of hours: `24 hours`.
    var isHours = false
    /// Whether a clock of 12 hours may show it: a number up to 12, without a zero before it.
    var isOfHalfDay = false
    /// Whether it is such a number without minutes.
    var isBare = false
    var minutes: Int { window.lowerBound }
  }

  private static func minutes(_ minutes: Int, _ meridiem: HoursWord) -> Int {
    let half = minutes % 720
    return meridiem == .pm ? half + 720 : half
  }

  /// Takes a time: of a clock of 24 or 12 hours, `noon`, `sunset`, `(sunset-01:00)`.
  private mutating func takeTime() -> Time? {
    let isShifted = take("(")
    if case (let word, let end)? = word(at: skippingBlanks()) {
      index = end
      switch word {
      case .time(let minutes): return Time(window: minutes...minutes)
      case .sun(let first, let last):
        guard isShifted else { return Time(window: first...last) }
        let isBefore = take("-")
        guard isBefore || take("+"), let shift = takeTime(), shift.window.count == 1, take(")")
        else { return nil }
        let offset = isBefore ? -shift.minutes : shift.minutes
        return Time(window: max(0, first + offset)...max(0, min(1_440, last + offset)))
      default: return nil
      }
    }
    let isZero = next == UInt8(ascii: "0")
    guard !isShifted, let number = takeNumber(upTo: 4) else { return nil }
    let isWhole = number.count <= 2 && !(byte(index).map { ":.h".utf8.contains($0) } ?? false)
    var (hours, minutes) = (number.value, 0)
    if number.count > 2 {
      (hours, minutes) = (number.value / 100, number.value % 100)
    } else {
      // `9:05`, `9.05`, `9h05`; Yelp has `9:5`
      if let mark = byte(index), ":.h".utf8.contains(mark), byte(index + 1)?.isDigit == true {
        index += 1
        minutes = takeNumber(upTo: 2)?.value ?? 60
        if take(":") { guard takeNumber(upTo: 2) != nil else { return nil } }
      }
    }
    guard hours <= 48, minutes < 60, hours * 60 + minutes <= 2_880 else { return nil }
    var time = Time(window: (hours * 60 + minutes)...(hours * 60 + minutes))
    if case (let word, var end)? = word(at: skippingBlanks()) {
      switch word {
      case .am, .pm:
        guard (1...12).contains(hours) else { return nil }
        // a.m.
        if bytes[end...].starts(with: ".m".utf8) {
          end += byte(end + 2) == UInt8(ascii: ".") ? 3 : 2
        }
        index = end
        isForPeople = true
        time.window = Self.minutes(time.minutes, word)...Self.minutes(time.minutes, word)
        time.meridiem = word
      case .hour:
        index = end
        time.isHours = true
      default: break
      }
    }
    time.isOfHalfDay = hours <= 12 && !isZero && !time.isHours && time.meridiem == nil
    time.isBare = time.isOfHalfDay && isWhole
    return time
  }

  // MARK: Characters

  /// The character at an index; nil beyond the end.
  private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  /// The next character after blanks, which it skips.
  private var next: UInt8? {
    mutating get {
      index = skippingBlanks()
      return byte(index)
    }
  }

  private func skippingBlanks() -> Int {
    var end = index
    while byte(end) == UInt8(ascii: " ") { end += 1 }
    return end
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: mark) else { return false }
    index += 1
    return true
  }

  /// Takes a dash, or a word for one.
  private mutating func takeTo() -> Bool {
    if take("-") { return true }
    guard case (.to, let end)? = word(at: skippingBlanks()) else { return false }
    index = end
    return true
  }

  /// Takes a comma if a number follows that is not a time.
  private mutating func takeSeparator() -> Bool {
    let start = index
    if take(","), let number = takeNumber(upTo: 4), byte(index) != UInt8(ascii: ":") {
      index -= number.count
      return true
    }
    index = start
    return false
  }

  private mutating func takeWord(_ word: String) -> Bool {
    let start = skippingBlanks()
    guard bytes[start...].starts(with: word.utf8) else { return false }
    let end = start + word.utf8.count
    if byte(end)?.isLetter == true { return false }
    index = end
    return true
  }

  /// The known word whose letters begin at an index, and the index after it.
  private func word(at start: Int) -> (word: HoursWord, end: Int)? {
    var end = start
    while byte(end)?.isLetter == true {
      guard end - start < HoursWord.maximumLength else { return nil }
      end += 1
    }
    return end == start ? nil : HoursWord.known[HoursWord.key(bytes[start..<end])].map { ($0, end) }
  }

  private mutating func takeNumber(upTo digits: Int) -> (value: Int, count: Int)? {
    let start = skippingBlanks()
    var (end, value) = (start, 0)
    while let byte = byte(end), byte.isDigit {
      guard end - start < digits else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      end += 1
    }
    guard end > start else { return nil }
    index = end
    return (value, end - start)
  }

  private mutating func takeNumber(upTo digits: Int, in range: ClosedRange<Int>) -> Int? {
    takeNumber(upTo: digits).flatMap { range.contains($0.value) ? $0.value : nil }
  }

  /// Takes what may follow the first of some numbers: `-LAST`, `-LAST/STEP`; nil if it is not complete.
  private mutating func takeNumbers(
    from first: Int,
    upTo digits: Int,
    in range: ClosedRange<Int>
  ) -> Rule.Numbers? {
    guard take("-") else { return Rule.Numbers(first: first, last: first) }
    guard let last = takeNumber(upTo: digits, in: range) else { return nil }
    guard take("/") else { return Rule.Numbers(first: first, last: last) }
    return takeNumber(upTo: digits, in: 1...9999).map {
      Rule.Numbers(first: first, last: last, step: $0)
    }
  }

  /// Removes the parentheses here if what is in them may be days or a state; false for other comments.
  ///
  /// `11:00-22:00 (closed Mondays)` has two rules, `10:00-18:00 (Mo-Fr)` one. What is not understood then, such as
  /// `(except Monday)`, makes the whole text so.
  private mutating func openParentheses(afterTimes: Bool) -> Bool {
    guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ")")) else { return false }
    let content = bytes[(index + 1)..<end]
    let words = content.split { !$0.isLetter }
    let known = words.map { word(at: $0.startIndex)?.word }
    let isState = if case .state?? = known.first { true } else { false }
    let hasDay = zip(words, known).contains { word, known in
      switch known {
      // many short words are not days: `(do not ring)`
      case .day?: word.count > 2
      case .days?: true
      default: false
      }
    }
    guard hasDay || content.contains(0xFF) || (!words.isEmpty && !known.contains(nil)) else {
      return false
    }
    let mark = UInt8(ascii: isState && afterTimes ? ";" : " ")
    (bytes[index], bytes[end]) = (mark, mark)
    return true
  }

  /// Skips a comment with the marks around it; false if it is not closed.
  private mutating func skipComment(to close: Unicode.Scalar) -> Bool {
    guard let end = bytes[(index + 1)...].firstIndex(of: UInt8(ascii: close)) else { return false }
    index = end + 1
    return true
  }
}

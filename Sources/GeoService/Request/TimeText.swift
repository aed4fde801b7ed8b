/// The parameter `datetime` (/req/core/fc-time-definition), which is checked although restaurants
/// have no time.
enum TimeText {
  /// Rejects anything but an RFC 3339 instant or an interval of two, either end of which may be
  /// open.
  ///
  /// - Throws: `Problem` 400.
  static func check(_ text: String) throws {
    // an unescaped plus in a query is a blank, and a zone may begin with a plus
    let written = text.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
    let ends = written.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let isValid: Bool
    switch ends.count {
    case 1: isValid = isInstant(ends[0])
    case 2:
      let isOpen = ends.map { $0.isEmpty || $0.isUTF8Equal(to: "..") }
      // one end may be open, but not both
      isValid =
        zip(ends, isOpen).allSatisfy { $1 || isInstant($0) } && !(isOpen[0] && isOpen[1])
        && (isOpen[0] || isOpen[1] || seconds(ends[0]) <= seconds(ends[1]))
    default: isValid = false
    }
    guard isValid else {
      throw Problem.invalid(
        "datetime",
        "expected an instant such as 2026-03-01T12:00:00Z or an interval such as "
          + "2026-03-01T00:00:00Z/.., got \(quoted(text))"
      )
    }
  }

  /// Whether a text is an RFC 3339 date-time or full date.
  static func isInstant(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard matches(bytes.prefix(10), "dddd-dd-dd") else { return false }
    let date = String(decoding: bytes.prefix(10), as: UTF8.self)
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard (1...12).contains(parts[1]), (1...days(of: parts[1], in: parts[0])).contains(parts[2])
    else { return false }
    return bytes.count == 10 || isTime(bytes.dropFirst(10))
  }

  private static func isTime(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard matches(bytes.prefix(9), "Tdd:dd:dd") else { return false }
    let numbers = String(decoding: bytes.prefix(9).dropFirst(), as: UTF8.self)
      .split(separator: ":").compactMap { Int($0) }
    guard numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { return false }
    var rest = bytes.dropFirst(9)
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count + 1)
    }
    if matches(rest, "Z") { return true }
    guard matches(rest, "+dd:dd") || matches(rest, "-dd:dd") else { return false }
    let zone = String(decoding: rest.dropFirst(), as: UTF8.self)
      .split(separator: ":").compactMap { Int($0) }
    return zone[0] < 24 && zone[1] < 60
  }

  /// Whether bytes match a pattern: `d` is a digit, letters match in either case, and all else
  /// matches itself.
  private static func matches(_ bytes: some Collection<UInt8>, _ form: String) -> Bool {
    bytes.count == form.utf8.count
      && zip(bytes, form.utf8).allSatisfy { byte, mark in
        switch mark {
        case UInt8(ascii: "d"): (0x30...0x39).contains(byte)
        case UInt8(ascii: "T"), UInt8(ascii: "Z"): byte == mark || byte == mark | 0x20
        default: byte == mark
        }
      }
  }

  private static func days(of month: Int, in year: Int) -> Int {
    let isLeap = (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Seconds since the year 0 in UTC of a text for which `isInstant` is true; a date is its first
  /// moment.
  private static func seconds(_ instant: String) -> Double {
    let bytes = Array(instant.utf8)
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
    let (year, month) = (number(0..<4), number(5..<7))
    let before = (1..<month).reduce(0) { $0 + days(of: $1, in: year) }
    let leapDays = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1
    let midnight = (year * 365 + leapDays + before + number(8..<10) - 1) * 86_400
    guard bytes.count > 10 else { return Double(midnight) }
    let clock = number(11..<13) * 3_600 + number(14..<16) * 60 + number(17..<19)
    let rest = bytes[19...]
    let digits =
      rest.first == UInt8(ascii: ".") ? rest.dropFirst().prefix { $0 < 0x3A && $0 > 0x2F } : []
    let fraction = digits.reversed().reduce(0.0) { ($0 + Double($1 - 0x30)) / 10 }
    return Double(midnight + clock - zoneSeconds(bytes)) + fraction
  }

  /// Seconds east of UTC.
  private static func zoneSeconds(_ bytes: [UInt8]) -> Int {
    let zone = bytes.suffix(6)
    guard let sign = zone.first, "+-".utf8.contains(sign) else { return 0 }
    let digits = zone.dropFirst().compactMap { $0 == UInt8(ascii: ":") ? nil : Int($0) - 0x30 }
    let seconds = (digits[0] * 10 + digits[1]) * 3_600 + (digits[2] * 10 + digits[3]) * 60
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }
}

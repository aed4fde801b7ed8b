package import GeoQuery

/// How a feed's value is converted to the value of a key.
package enum FieldReading: Sendable {
  /// A text, or the digits of a number.
  case text
  /// A number, which may be written as text.
  case number
  /// A whole number, which may have marks between its thousands: `1,234`, `1.234`, `1 234`, `1'234`.
  case count
  /// A number, or one with its scale: `4.1/5`.
  case rating
  /// A level from 1 to 4: `2`, `"2"`, `$$`, a range such as `$$ - $$$`, or Google's `PRICE_LEVEL_…`.
  case price
  /// An http or https address, or the first one of a list.
  case link
  /// The links of a list, which may be in a text; of a list of objects, one member each.
  case links(of: String?)
  /// The links of Foursquare's photos, whose addresses have two parts.
  case photos
  /// A name: a text with a letter, but not a word for yes, no or none.
  case title
  /// A text for people: neither a number nor a link, nor a page of HTML.
  case prose
  /// A code of two capital letters.
  case code
  /// A text like a postal code: four to ten characters with a digit.
  case postalCode
  /// A text without digits, such as the code of a country, not its number.
  case letters
  /// The name of a country: a text that is not such a code.
  case country
  /// The texts of a list, joined by commas; of a list of objects, one member each.
  case list(of: String?)
  /// The element of a list that is marked `primary`, otherwise the first; of objects, one member.
  case first(of: String?)
  /// Lines to print: a list, or one text with `; ` as the separator.
  case lines
  /// Opening hours: a text, a list of texts, or an object as compact JSON.
  case hours
  /// Opening hours of one of these forms that are understood.
  case timetable
  /// True for the values of yes: `true`, 1, `"true"`, `"yes"`, `"t"`, `"y"`, `"1.0"`, or of closed.
  case yes
  /// True for the values of no: `false`, 0, `"false"`, `"no"`, `"f"`, `"n"`, `"0.0"`.
  case no
  /// True for a status of places that are closed for good, such as Google's `CLOSED_PERMANENTLY`.
  case gone
  /// True for a date that has come, with a time or not, or such a month or year: no weekday or `N/A`.
  case past

  /// The value for a key.
  struct Result {
    let value: JSONValue
    /// Whether it has everything that the feed's value says; otherwise that is kept in extra too.
    var isWhole = true
    /// The scale of a rating, if the value has one.
    var scale: Double?
  }

  /// Reads a value; nil if it is not of this kind.
  func read(_ value: JSONValue) -> Result? {
    switch self {
    case .text: Self.text(value)
    case .number: Self.number(value)
    case .count: Self.count(value)
    case .rating: Self.rating(value)
    case .price: Self.price(value)
    case .link: Self.link(value) ?? Self.bareLink(value)
    case .links(let member): Self.links(value, member)
    case .photos: Self.photos(value)
    case .title: Self.isWords(value) && Self.truth(value) == nil ? Result(value: value) : nil
    case .prose: Self.isProse(value) ? Result(value: value) : nil
    case .code: Self.isCode(value) ? Result(value: value) : nil
    case .postalCode:
      Self.text(value) { (4...10).contains($0.utf8.count) && $0.utf8.contains(where: \.isDigit) }
    case .letters: Self.text(value) { !$0.utf8.contains(where: \.isDigit) }
    case .country: Self.isCode(value) ? nil : Self.text(value)
    case .list(let member): Self.list(value, member)
    case .first(let member): Self.first(value, member)
    case .lines: Self.lines(value)
    case .hours: Self.hours(value)
    case .timetable:
      Self.hours(value).flatMap { Timetable($0.value.asText ?? "") == nil ? nil : $0 }
    case .yes:
      Self.flag(Self.answer(value) ?? Self.says(value, Self.wordsForClosed))
    case .no: Self.flag(Self.answer(value) == false)
    case .gone: Self.flag(Self.says(value, Self.wordsForGone))
    case .past: Self.flag(Self.day(value).map { $0 <= .today } ?? false, isWhole: false)
    }
  }

  /// Whether a value that is not read says nothing, or no, so that it is not one that does not fit.
  func isSilent(on value: JSONValue) -> Bool {
    switch self {
    case .yes where Self.answer(value) == false, .no where Self.answer(value) == true, .gone: true
    default: !Self.isPresent(value)
    }
  }

  /// True for the key, unless the value means something else.
  private static func flag(_ isSet: Bool, isWhole: Bool = true) -> Result? {
    isSet ? Result(value: .bool(true), isWhole: isWhole) : nil
  }

  private static func number(_ value: JSONValue) -> Result? {
    switch value {
    case .number: Result(value: value)
    case .string(let text) where isDecimal(text.trimmed): Result(value: .number(text.trimmed))
    default: nil
    }
  }

  private static func count(_ value: JSONValue) -> Result? {
    guard case .string(let text) = value, text.utf8.count <= 32,
      let mark = text.trimmed.unicodeScalars.first(where: { !("0"..."9").contains($0) })
    else { return number(value) }
    let groups = text.trimmed.parts(between: String(mark))
    let isGrouped =
      groupMarks.contains(mark) && groups.count > 1 && (1...3).contains(groups[0].utf8.count)
      && groups.allSatisfy { $0.utf8.allSatisfy(\.isDigit) }
      && groups.dropFirst().allSatisfy { $0.utf8.count == 3 }
    return isGrouped ? Result(value: .number(groups.joined())) : number(value)
  }

  private static let groupMarks: Set<Unicode.Scalar> = [
    ",", ".", " ", "'", "\u{2019}", "\u{A0}", "\u{2009}", "\u{202F}",
  ]

  private static func rating(_ value: JSONValue) -> Result? {
    if let number = number(value) { return number }
    guard case .string(let text) = value, text.utf8.count <= 32 else { return nil }
    let parts = text.parts(between: "/").map(\.trimmed)
    guard parts.count == 2, parts.allSatisfy(isDecimal), let scale = Double(parts[1]), scale > 0
    else { return nil }
    return Result(value: .number(parts[0]), scale: scale)
  }

  private static func price(_ value: JSONValue) -> Result? {
    guard let text = value.asText?.trimmed else { return nil }
    let levels: [UTF8Key] = [
      "PRICE_LEVEL_INEXPENSIVE", "PRICE_LEVEL_MODERATE", "PRICE_LEVEL_EXPENSIVE",
      "PRICE_LEVEL_VERY_EXPENSIVE",
    ]
    let level = levels.firstIndex(of: UTF8Key(text)).map { $0 + 1 } ?? wholeNumber(text)
    if let level {
      return (1...4).contains(level) ? Result(value: .number(String(level))) : nil
    }
    // $$ - $$$ is a range from two to three; the text is kept as well
    let range = text.utf8.count <= 40 ? text.parts(between: "-").map(\.trimmed) : []
    guard let first = range.first, let count = currencySigns(first) else { return nil }
    let isRange = range.count == 2 && currencySigns(range[1]) != nil
    guard range.count == 1 || isRange else { return nil }
    return Result(value: .number(String(count)), isWhole: !isRange)
  }

  /// The number of currency signs, if a text consists of one sign, repeated.
  private static func currencySigns(_ text: String) -> Int? {
    let signs = text.unicodeScalars
    guard let first = signs.first, first.properties.generalCategory == .currencySymbol,
      (1...4).contains(signs.count), signs.allSatisfy({ $0 == first })
    else { return nil }
    return signs.count
  }

  static func link(_ value: JSONValue) -> Result? {
    if let values = elements(value) {
      let first = values.lazy.compactMap(link).first
      return first.map { Result(value: $0.value, isWhole: values.count == 1) }
    }
    guard case .string(let text) = value else { return nil }
    let start = String(Substring(text.utf8.prefix(8))).lowercased()
    if start.begins(with: "http://") || start.begins(with: "https://") {
      return Result(value: value)
    }
    // an address without a scheme, as pages write them
    let isAddress =
      start.begins(with: "//") && text.utf8.dropFirst(2).first != UInt8(ascii: "/")
      && text.utf8.allSatisfy { $0 > 0x20 } && text.utf8.dropFirst(3).contains(0x2E)
    return isAddress ? Result(value: .string("https:" + text)) : nil
  }

  /// The https address of a text that begins with `www.`, as people write addresses.
  private static func bareLink(_ value: JSONValue) -> Result? {
    guard case .string(let text) = value else { return nil }
    let start = String(Substring(text.utf8.prefix(4))).lowercased()
    let isAddress = text.utf8.allSatisfy { $0 > 0x20 } && text.utf8.dropFirst(5).contains(0x2E)
    return start == "www." && isAddress ? Result(value: .string("https://" + text)) : nil
  }

  /// Whether a value is a text with a letter, but neither a link nor a word for none.
  private static func isWords(_ value: JSONValue) -> Bool {
    guard case .string(let text) = value, link(value) == nil, isPresent(value) else { return false }
    return text.unicodeScalars.contains(where: \.properties.isAlphabetic)
  }

  private static func isProse(_ value: JSONValue) -> Bool {
    guard case .string(let text) = value, isWords(value), JSONValue(nestedIn: text) == nil else {
      return false
    }
    // not a page of HTML, into which map programs write a whole record
    return text.utf8.first != UInt8(ascii: "<")
  }

  private static func isCode(_ value: JSONValue) -> Bool {
    guard case .string(let text) = value, text.utf8.count == 2 else { return false }
    return text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  /// The first day of a date, a month or a year; nil for what programs write if there is none.
  private static func day(_ value: JSONValue) -> CalendarDay? {
    guard let text = value.asText?.trimmed else { return nil }
    let day = ["", "-01", "-01-01"].lazy.compactMap { CalendarDay(parsing: text + $0) }.first
    return day.flatMap { ["1900-01-01", "1970-01-01"].contains($0.description) ? nil : $0 }
  }

  private static func isPresent(_ value: JSONValue) -> Bool {
    word(value).map(wordsForNone.contains) == false
  }

  /// What programs write for an empty cell.
  private static let wordsForNone: Set<UTF8Key> = ["", "nan", "nat", "null", "none", "\\n"]

  /// A text in lower case.
  private static func word(_ value: JSONValue) -> UTF8Key? {
    value.asText.map { UTF8Key($0.trimmed.lowercased()) }
  }

  /// Words in the languages of the common names: for yes, no and closed, and for closed for good.
  private static let wordsForYes = FieldAliases.keys(
    "ja oui sí sim wahr vrai verdadero vero verdadeiro waar"
  )
  private static let wordsForNo = FieldAliases.keys("nein non não nee falsch faux falso onwaar")

  private static let wordsForGone = FieldAliases.keys(
    """
    closedpermanently permanentlyclosed closedforgood dauerhaftgeschlossen fermédéfinitivement
    cerradopermanentemente chiusodefinitivamente fechadopermanentemente permanentgesloten
    """
  )
  private static let wordsForClosed = wordsForGone.union(
    FieldAliases.keys("closed geschlossen fermé cerrado chiuso fechado gesloten")
  )

  private static func says(_ value: JSONValue, _ words: Set<UTF8Key>) -> Bool {
    value.asText.map { words.contains(UTF8Key(bareName($0))) } ?? false
  }

  /// What a flag says, also in other languages.
  package static func answer(_ value: JSONValue) -> Bool? {
    truth(value) ?? (says(value, wordsForYes) ? true : says(value, wordsForNo) ? false : nil)
  }

  /// The value of a flag, as JSON, spreadsheets, PostgreSQL and pandas write it.
  private static func truth(_ value: JSONValue) -> Bool? {
    if case .bool(let flag) = value { return flag }
    guard let word = word(value) else { return nil }
    switch word {
    case "true", "yes", "t", "y": return true
    case "false", "no", "f", "n": return false
    default: return wholeNumber(word.text).flatMap { [0: false, 1: true][$0] }
    }
  }

  // MARK: - Values that are lists in some feeds and texts in others

  static func list(_ value: JSONValue, _ member: String?) -> Result? {
    guard let elements = elements(value) else { return text(value) }
    let texts = elements.compactMap { text(of: $0, member) }
    guard !texts.isEmpty else { return nil }
    let isWhole = member == nil && texts.count == elements.count
    return Result(value: .string(texts.joined(separator: ", ")), isWhole: isWhole)
  }

  static func first(_ value: JSONValue, _ member: String?) -> Result? {
    guard let elements = elements(value) ?? bracketed(value) else { return text(value) }
    let primary = elements.first { element in
      guard case .object(let members) = element else { return false }
      return members.first(named: "primary")?.value == .bool(true)
    }
    guard let chosen = primary ?? elements.first, let text = text(of: chosen, member) else {
      return nil
    }
    return Result(value: .string(text), isWhole: member == nil && elements.count == 1)
  }

  static func lines(_ value: JSONValue) -> Result? {
    if let elements = elements(value) {
      let texts = elements.compactMap(\.asText)
      guard texts.count == elements.count, !texts.isEmpty else { return nil }
      return Result(value: .array(texts.map(JSONValue.string)))
    }
    guard let text = value.asText, !text.isEmpty else { return nil }
    let lines = text.parts(between: "; ").filter { !$0.isEmpty }
    return Result(value: .array(lines.map(JSONValue.string)))
  }

  static func hours(_ value: JSONValue) -> Result? {
    switch value {
    case .string(let text): text.isEmpty ? nil : Result(value: value)
    case .array(let values) where !values.isEmpty:
      Result(
        value: .string(
          values.allSatisfy { $0.asText != nil }
            ? values.compactMap(\.asText).joined(separator: "; ") : JSONWriter.of(value)
        )
      )
    case .object(let members) where !members.isEmpty:
      Result(value: .string(JSONWriter.of(value)))
    default: nil
    }
  }

  /// The links of a list, or of a text with `; ` as the separator.
  static func links(_ value: JSONValue, _ member: String?) -> Result? {
    var values = elements(value)
    if values == nil, case .string(let text) = value {
      values = text.parts(between: "; ").map(JSONValue.string)
    }
    guard let values else { return nil }
    let links = values.compactMap { element in
      text(of: element, member).flatMap { link(.string($0)) }?.value
    }
    guard !links.isEmpty else { return nil }
    let isWhole = links.count == values.count && links == values
    return Result(value: .array(links), isWhole: isWhole)
  }

  /// The links of photos: a prefix and a suffix, and the size between them.
  static func photos(_ value: JSONValue) -> Result? {
    let links = (elements(value) ?? []).compactMap { photo -> JSONValue? in
      guard let prefix = text(of: photo, "prefix"), let suffix = text(of: photo, "suffix") else {
        return nil
      }
      return link(.string(prefix + "original" + suffix))?.value
    }
    return links.isEmpty ? nil : Result(value: .array(links), isWhole: false)
  }

  private static func text(
    _ value: JSONValue,
    where fits: (String) -> Bool = { _ in true }
  ) -> Result? {
    guard let text = value.asText, !text.isEmpty, fits(text) else { return nil }
    return Result(value: .string(text))
  }

  private static func text(of element: JSONValue, _ member: String?) -> String? {
    if let member, case .object(let members) = element {
      return members.first(named: member)?.value.asText
    }
    return element.asText
  }

  /// The elements of a list as DuckDB writes it into a table: `[Dining > Thai, 'Bars, Pubs']`.
  private static func bracketed(_ value: JSONValue) -> [JSONValue]? {
    guard case .string(let text) = value, text.begins(with: "["), text.ends(with: "]") else {
      return nil
    }
    var elements: [String] = [""]
    var isQuoted = false
    for scalar in text.unicodeScalars.dropFirst().dropLast() {
      if scalar == "'", isQuoted || elements[elements.count - 1].isEmpty {
        isQuoted.toggle()
      } else if scalar == ",", !isQuoted {
        elements.append("")
      } else if scalar != " " || !elements[elements.count - 1].isEmpty {
        elements[elements.count - 1].unicodeScalars.append(scalar)
      }
    }
    let texts = elements.filter { !$0.isEmpty }
    return texts.isEmpty ? nil : texts.map(JSONValue.string)
  }

  /// The elements of a list, which may be written as JSON text.
  static func elements(_ value: JSONValue) -> [JSONValue]? {
    switch value {
    case .array(let elements): elements
    case .string(let text):
      if case .array(let elements)? = JSONValue(nestedIn: text) { elements } else { nil }
    default: nil
    }
  }
}

import GeoQuery

/// Values that are lists in some feeds and texts in others.
extension FieldReading {
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
    case .array(let values):
      values.isEmpty
        ? nil
        : list(value, nil).flatMap { $0.isWhole ? joinedHours(values) : nil }
          ?? Result(value: .string(JSONWriter.of(value)))
    case .object(let members):
      members.isEmpty ? nil : Result(value: .string(JSONWriter.of(value)))
    default: nil
    }
  }

  private static func joinedHours(_ values: [JSONValue]) -> Result {
    Result(value: .string(values.compactMap(\.asText).joined(separator: "; ")))
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

  private static func text(_ value: JSONValue) -> Result? {
    guard let text = value.asText, !text.isEmpty else { return nil }
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

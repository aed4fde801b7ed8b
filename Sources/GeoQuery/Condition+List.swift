extension Condition {
  /// Reads conditions joined by the word `and`: `rating >= 4 and city = Dallas`.
  ///
  /// A value that contains this word must be in single or double quotes, `name = 'Salt and
  /// Pepper'`; a doubled quote in it stands for one.
  ///
  /// - Parameters:
  ///   - text: The conditions.
  ///   - mostConditions: The maximum number of conditions.
  ///   - valueLength: The maximum length of a value in bytes of UTF-8.
  /// - Returns: The conditions, in their order.
  /// - Throws: `QueryError` if a condition is invalid or too long, or there are too many.
  /// - Complexity: O(length of the text).
  public static func list(
    _ text: String,
    atMost mostConditions: Int = .max,
    valueLength: Int = .max
  ) throws(QueryError) -> [Condition] {
    let parts = split(text)
    guard parts.count <= mostConditions else {
      throw QueryError("where", "has \(parts.count) conditions, at most \(mostConditions)")
    }
    var conditions: [Condition] = []
    for part in parts {
      // and room for the field and the operator
      guard valueLength == .max || part.utf8.count <= valueLength + otherLength else {
        throw QueryError(
          "where",
          "a value has at most \(valueLength) bytes, a condition has \(part.utf8.count)"
        )
      }
      do throws(QueryError) {
        conditions.append(try Condition(part, valueLength: valueLength))
      } catch {
        guard parts.count > 1 else { throw error }
        throw QueryError(
          "where",
          "\(error.reason); quote a value that contains the word \"and\": name = 'Salt and Pepper'"
        )
      }
    }
    return conditions
  }

  private static let otherLength = 64 + pathLength

  /// A part of a condition.
  private enum Place {
    case field, operation, value
  }

  /// The parts of a text between the words `and` that are not in quotes.
  private static func split(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var parts: [String] = []
    var start = 0
    var index = 0
    var place = Place.field
    while index < bytes.count {
      let byte = bytes[index]
      if place != .value, isQuote(byte) {
        index = endOfQuote(bytes, index)
        if place == .operation { place = .value }
        continue
      }
      if isBlank(byte), let next = endOfJoint(bytes, index) {
        parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
        start = next
        index = next
        place = .field
        continue
      }
      switch place {
      case .field: if "=!<>~".utf8.contains(byte) { place = .operation }
      case .operation: if !isBlank(byte), !"=!<>~".utf8.contains(byte) { place = .value }
      case .value: break
      }
      index += 1
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }

  /// The index after a quoted value; that of the end if nothing closes it.
  private static func endOfQuote(_ bytes: [UInt8], _ start: Int) -> Int {
    let quote = bytes[start]
    var index = start + 1
    while index < bytes.count {
      guard bytes[index] == quote else {
        index += 1
        continue
      }
      guard index + 1 < bytes.count, bytes[index + 1] == quote else { return index + 1 }
      index += 2
    }
    return index
  }

  /// The index after a blank, the word `and` in any case, and another blank; nil if that is not here.
  private static func endOfJoint(_ bytes: [UInt8], _ start: Int) -> Int? {
    guard start + 4 < bytes.count, isBlank(bytes[start + 4]),
      bytes[(start + 1)..<(start + 4)].map({ $0 | 0x20 }) == Array("and".utf8)
    else { return nil }
    return start + 4
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isQuote(_ byte: UInt8) -> Bool { "'\"".utf8.contains(byte) }

  /// A value without its quotes; nil if it begins with a quote that is not closed at its end.
  static func unquoted(_ value: String) -> String? {
    let bytes = Array(value.utf8)
    guard let quote = bytes.first, isQuote(quote) else { return value }
    guard bytes.count > 1, endOfQuote(bytes, 0) == bytes.count, bytes.last == quote else {
      return nil
    }
    let inner = String(decoding: bytes[1..<(bytes.count - 1)], as: UTF8.self)
    // of an odd number of quotes, the last one closes the value
    guard bytes.dropFirst().reversed().prefix(while: { $0 == quote }).count % 2 == 1 else {
      return nil
    }
    return quote == UInt8(ascii: "'")
      ? inner.replacing("''", with: "'") : inner.replacing("\"\"", with: "\"")
  }
}

import Foundation
package import GeoQuery

/// A JSON text as Foundation's decoder reads it: the second opinion on geoq's reader and writer.
///
/// `JSONSerialization` on Linux would not do: its numbers are off by some units in the last place,
/// and it drops U+FEFF.
package enum FoundationJSON: Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([FoundationJSON])
  case object([String: FoundationJSON])

  /// Reads a text.
  package static func read(_ text: some Sequence<UInt8>) throws -> FoundationJSON {
    try JSONDecoder().decode(FoundationJSON.self, from: Data(text))
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let values = try? container.decode([FoundationJSON].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode([String: FoundationJSON].self))
    }
  }

  /// A member of an object; nil if this is none or has no such member.
  package subscript(name: String) -> FoundationJSON? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The names of an object's members, sorted.
  package var names: [String] {
    guard case .object(let members) = self else { return [] }
    return members.keys.sorted()
  }

  /// The elements of an array.
  package var elements: [FoundationJSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var number: Double? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  /// Whether geoq read or would write the same, numbers bit for bit and texts byte for byte.
  package func isSame(as value: JSONValue) -> Bool {
    switch (self, value) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let token)): one.bitPattern == Double(token)?.bitPattern
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let ones), .array(let others)):
      ones.count == others.count && zip(ones, others).allSatisfy { $0.isSame(as: $1) }
    case (.object(let ones), .object(let others)):
      ones.count == others.count
        && others.allSatisfy { ones[$0.name]?.isSame(as: $0.value) ?? false }
    default: false
    }
  }
}

import Foundation
import GeoQuery

/// Where a page begins or ends: after or before a restaurant, named by its sort value and its id.
///
/// Not by a number: pages stay disjoint and complete while imports add and remove others. Opaque to
/// clients; a JSON array in base64url.
struct PageCursor: Sendable {
  /// Which side of a restaurant a page is on.
  enum Side: Sendable {
    /// The page begins after it.
    case after
    /// The page ends before it.
    case before
  }

  /// Where the page is.
  let side: Side

  /// The sort value of the restaurant, or its distance; nil by id, or if it has none.
  let value: SortValue?

  /// Its id.
  let id: String

  /// The cursor as a parameter.
  let text: String

  /// Makes the cursor of the page on one side of a restaurant.
  init(
    _ side: Side,
    _ position: Int,
    value: SortValue?,
    of fingerprint: String,
    in data: some ServedData
  ) {
    let id = String(decoding: data.id(at: position), as: UTF8.self)
    self.init(side, id: id, value: value, of: fingerprint, generation: data.generation)
  }

  /// Makes the cursor of the page on one side of a restaurant with an id.
  init(_ side: Side, id: String, value: SortValue?, of fingerprint: String, generation: Int) {
    self.side = side
    self.value = value
    self.id = id
    var json = JSONText()
    json.raw("[\(generation),")
    json.string(fingerprint)
    switch value {
    case .number(let number)?: json.raw(",\(number),")
    case .text(let bytes)?:
      json.raw(",")
      json.string(String(decoding: bytes, as: UTF8.self))
      json.raw(",")
    case nil: json.raw(",null,")
    }
    json.string(id)
    json.raw(side == .before ? ",\"before\"]" : "]")
    text = Data(json.bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Reads the cursor among a request's parameters; nil where there is none.
  ///
  /// - Throws: `Problem` 400, as of a text, and if there is an offset too.
  init?(_ parameters: Parameters, of fingerprint: String) throws {
    guard let text = parameters.text(.cursor) else { return nil }
    guard parameters.text(.offset) == nil else {
      throw Problem.invalid("offset", "does not go with cursor; a link has what it needs")
    }
    try self.init(text, of: fingerprint)
  }

  /// Reads a cursor that a client sends back.
  ///
  /// - Throws: `Problem` 400 if it is damaged, or comes from another question.
  init(_ text: String, of fingerprint: String) throws {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw Self.damaged }
    let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let bytes = Data(base64Encoded: plain),
      case .array(let parts)? = try? JSONValue(parsing: Array(bytes)),
      parts.count == 4 || parts.count == 5,
      case .number = parts[0], case .string(let origin) = parts[1],
      case .string(let id) = parts[3]
    else { throw Self.damaged }
    switch parts[2] {
    case .null: value = nil
    case .string(let name): value = .text(Array(name.utf8))
    case .number(let token): value = DecimalText.number(token).map { .number($0) }
    default: throw Self.damaged
    }
    guard origin.hasBytes(of: fingerprint) else {
      throw Problem.invalid("cursor", "belongs to another query; start again without it")
    }
    side = parts.count == 5 ? .before : .after
    self.id = id
    self.text = text
  }

  private static let damaged = Problem.invalid(
    "cursor",
    "is damaged; take it from a link as it is"
  )
}

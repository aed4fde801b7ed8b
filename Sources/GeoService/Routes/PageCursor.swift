import Foundation
import GeoQuery

/// Where a page begins: after a restaurant, named by its sort value and its id.
///
/// Not by a number: pages stay disjoint and complete while imports add and remove others. Opaque to
/// clients; a JSON array in base64url.
struct PageCursor: Sendable {
  /// The sort value of the last restaurant, or its distance; nil by id, or where it has none.
  let value: SortValue?

  /// Its id.
  let id: String

  /// The cursor as a parameter.
  let text: String

  /// Makes the cursor behind the last restaurant of a page.
  init(after position: Int, value: SortValue?, of fingerprint: String, in data: some ServedData) {
    let id = String(decoding: data.id(at: position), as: UTF8.self)
    self.init(after: id, value: value, of: fingerprint, generation: data.generation)
  }

  /// Makes the cursor behind a restaurant with an id.
  init(after id: String, value: SortValue?, of fingerprint: String, generation: Int) {
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
    json.raw("]")
    text = Data(json.bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Reads the cursor among a request's parameters; nil where there is none.
  ///
  /// - Throws: `Problem` 400, as of a text, and where an offset stands beside it.
  init?(_ parameters: Parameters, of fingerprint: String) throws {
    guard let text = parameters.text(.cursor) else { return nil }
    guard parameters.text(.offset) == nil else {
      throw Problem.invalid("offset", "does not go with cursor; a next link has what it needs")
    }
    try self.init(text, of: fingerprint)
  }

  /// Reads a cursor that a client sends back.
  ///
  /// - Throws: `Problem` 400 where it is damaged, or comes from another question.
  init(_ text: String, of fingerprint: String) throws {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let bytes = Data(base64Encoded: plain),
      case .array(let parts)? = try? JSONValue(parsing: Array(bytes)), parts.count == 4,
      case .number = parts[0], case .string(let origin) = parts[1],
      case .string(let id) = parts[3]
    else {
      throw Problem.invalid("cursor", "is damaged; take it from a next link as it is")
    }
    switch parts[2] {
    case .null: value = nil
    case .string(let name): value = .text(Array(name.utf8))
    case .number(let token): value = DecimalText.number(token).map { .number($0) }
    default: throw Problem.invalid("cursor", "is damaged; take it from a next link as it is")
    }
    guard origin == fingerprint else {
      throw Problem.invalid("cursor", "belongs to another query; start again without it")
    }
    self.id = id
    self.text = text
  }
}

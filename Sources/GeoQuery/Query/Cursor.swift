import Foundation

/// The start or end of a page: after or before a restaurant, given by its value for the order's key
/// and its id.
///
/// It is not an index, so that a restaurant that always exists, with the same value, is on exactly
/// one page, whatever is imported meanwhile. Opaque to clients; a JSON array in base64url (RFC 4648
/// §5): a hash of the query, the value or null, the id, and `"before"` if the page ends there.
struct Cursor: Hashable, Sendable {
  /// The side of the restaurant on which the page is.
  enum Side: Hashable, Sendable {
    case after
    case before
  }

  let side: Side

  /// The value for the order's key; nil without an order, or if the restaurant has none.
  let value: OrderValue?

  /// The restaurant's id, as UTF-8.
  let id: [UInt8]

  /// Makes a cursor.
  init(_ side: Side, value: OrderValue?, id: [UInt8]) {
    self.side = side
    self.value = value
    self.id = id
  }

  /// The cursor as a text, for the query with a fingerprint.
  func text(of fingerprint: String) -> String {
    var json = JSONWriter()
    json.raw("[")
    json.string(fingerprint)
    json.raw(",")
    switch value {
    case .number(let number)?: json.raw("\(number)")
    case .text(let bytes)?:
      json.string(String(decoding: bytes, as: UTF8.self))
    case nil: json.raw("null")
    }
    json.raw(",")
    json.string(String(decoding: id, as: UTF8.self))
    json.raw(side == .before ? ",\"before\"]" : "]")
    return Data(json.bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Reads a cursor.
  ///
  /// - Throws: `QueryError` if it is damaged, or belongs to another query.
  init(_ text: String, of fingerprint: String) throws(QueryError) {
    let damaged = QueryError("cursor", "is damaged; copy all of it from the previous page")
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw damaged }
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let bytes = Data(base64Encoded: plain),
      case .array(let parts)? = try? JSONValue(parsing: Array(bytes)),
      parts.count == 3 || (parts.count == 4 && parts[3] == .string("before")),
      case .string(let origin) = parts[0], case .string(let id) = parts[2]
    else { throw damaged }
    switch parts[1] {
    case .null: value = nil
    case .string(let name): value = .text(Array(name.utf8))
    case .number(let token):
      guard let number = Double(token) else { throw damaged }
      value = .number(number)
    default: throw damaged
    }
    guard UTF8Key(origin) == UTF8Key(fingerprint) else {
      throw QueryError("cursor", "belongs to another query; omit it to start again")
    }
    side = parts.count == 4 ? .before : .after
    self.id = Array(id.utf8)
  }
}

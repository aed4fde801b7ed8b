import Foundation

/// Where a page begins or ends: after or before a restaurant, named by its value under the order's key
/// and its id.
///
/// Not by a number: a restaurant that is there throughout, its value unchanged, is on exactly one page,
/// whatever is imported meanwhile. Opaque to those who carry it; a JSON array in base64url
/// (RFC 4648 §5): a hash of the query, the value or null, the id, and `"before"` if the page ends there.
struct Cursor: Hashable, Sendable {
  /// Which side of the restaurant the page is on.
  enum Side: Hashable, Sendable {
    case after
    case before
  }

  let side: Side

  /// Under the order's key; nil without an order, or if the restaurant has none.
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
    var json = JSONText()
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
  /// - Throws: `QueryError` if it is damaged, or comes from another query.
  init(_ text: String, of fingerprint: String) throws(QueryError) {
    let damaged = QueryError("cursor", "is damaged; copy it whole from the page before")
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
    guard ByteKey(origin) == ByteKey(fingerprint) else {
      throw QueryError("cursor", "belongs to another query; start again without it")
    }
    side = parts.count == 4 ? .before : .after
    self.id = Array(id.utf8)
  }
}

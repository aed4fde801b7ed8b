import Foundation

/// The start or end of a page: after or before a restaurant, by its value for the order and its id.
///
/// It is not an index, so that a restaurant that always exists, with the same value, is on exactly
/// one page, whatever is imported meanwhile. Opaque to clients; a JSON array in base64url (RFC 4648
/// §5): a hash of the query, the value or null (of several keys, a list of them), the id, and `"before"` if
/// the page ends there.
struct Cursor: Hashable, Sendable {
  /// The side of the restaurant on which the page is.
  enum Side {
    case after, before
  }

  let side: Side

  /// The value for each term of the order, nil if the restaurant has none; empty without an order.
  let values: [OrderValue?]

  /// The restaurant's id, as UTF-8.
  let id: [UInt8]

  init(_ side: Side, values: [OrderValue?], id: [UInt8]) {
    self.side = side
    self.values = values
    self.id = id
  }

  /// The cursor as a text, for the query with a fingerprint.
  func text(of fingerprint: String) -> String {
    let parts = values.map { value in
      switch value {
      case .number(let number)?: JSONValue.number("\(number)")
      case .text(let bytes)?: JSONValue.string(String(decoding: bytes, as: UTF8.self))
      case nil: JSONValue.null
      }
    }
    let place = parts.count > 1 ? .array(parts) : parts.first ?? .null
    let id = JSONValue.string(String(decoding: id, as: UTF8.self))
    let end: [JSONValue] = side == .before ? [.string("before")] : []
    let json = JSONWriter.of(.array([.string(fingerprint), place, id] + end))
    return Data(json.utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The error for a cursor that is not one.
  static let damaged = QueryError("cursor", "is damaged; copy all of it from the previous page")

  /// Reads a cursor.
  ///
  /// - Throws: `QueryError` if it is damaged, or belongs to another query.
  init(_ text: String, of fingerprint: String) throws(QueryError) {
    let damaged = Self.damaged
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw damaged }
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let bytes = Data(base64Encoded: plain),
      case .array(let parts)? = try? JSONValue(parsing: Array(bytes)),
      parts.count == 3 || (parts.count == 4 && parts[3] == .string("before")),
      case .string(let origin) = parts[0], case .string(let id) = parts[2]
    else { throw damaged }
    let written = if case .array(let several) = parts[1] { several } else { [parts[1]] }
    var values: [OrderValue?] = []
    for part in written {
      switch part {
      case .null: values.append(nil)
      case .string(let name): values.append(.text(Array(name.utf8)))
      case .number(let token):
        guard let number = Double(token) else { throw damaged }
        values.append(.number(number))
      default: throw damaged
      }
    }
    self.values = values
    guard UTF8Key(origin) == UTF8Key(fingerprint) else {
      throw QueryError("cursor", "belongs to another query; omit it to start again")
    }
    side = parts.count == 4 ? .before : .after
    self.id = Array(id.utf8)
  }
}

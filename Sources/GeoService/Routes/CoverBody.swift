import GeoQuery
import HTTPTypes

/// The body of `POST /cover`: an object whose members are the parameters of `GET /cover`.
///
///     {"lat":32.95,"lon":-96.82,"want":["Thai","rating >= 4"],"places":2}
struct CoverBody {
  /// The members as parameters, so that both requests have the same rules.
  let parameters: Parameters

  /// Reads a body.
  ///
  /// - Throws: `Problem` 400.
  init(_ bytes: [UInt8]) throws {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw Self.invalid("the body is not JSON: \(error)")
    }
    guard case .object(let members) = value else {
      throw Self.invalid("the body must be an object with the members lat, lon and want")
    }
    var pairs: [(name: String, value: String)] = []
    for member in members {
      let declared = Self.declared.first { $0.name.isUTF8Equal(to: member.name) }
      guard let parameter = declared else {
        let known = Self.declared.map(\.name).joined(separator: ", ")
        throw Self.invalid("unknown member \(quoted(member.name)); known: \(known)")
      }
      pairs += try Self.texts(member.value, of: parameter).map { (parameter.name, $0) }
    }
    parameters = try Parameters(pairs, declared: Self.declared)
  }

  private static let declared = Route.cover.parameters.filter { $0 != .planFormat }

  /// A member's value as the texts of a query.
  private static func texts(_ value: JSONValue, of parameter: Parameter) throws -> [String] {
    switch (parameter.kind, value) {
    case (.number, .number(let token)), (.distance, .number(let token)),
      (.integer, .number(let token)):
      return [token]
    case (.want, .array(let values)):
      return try values.map { value in
        guard case .string(let text) = value else {
          throw invalid("\(parameter.name) must be an array of texts")
        }
        return text
      }
    case (.word, .bool(let flag)) where parameter == .frontier: return flag ? ["true"] : []
    case (.word, .string(let text)) where parameter != .frontier: return [text]
    default: throw invalid("\(parameter.name) must be \(kind(of: parameter))")
    }
  }

  private static func kind(of parameter: Parameter) -> String {
    switch parameter.kind {
    case .want: "an array of texts"
    case .word: parameter == .frontier ? "true or false" : "a text"
    default: "a number"
    }
  }

  private static func invalid(_ sentence: String) -> Problem {
    Problem(.badRequest, "InvalidBody", sentence)
  }
}

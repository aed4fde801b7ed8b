extension JSONValue {
  /// Reads a whole JSON text by RFC 8259, strictly: UTF-8, no member twice, at most 32 levels deep.
  ///
  /// - Parameter bytes: The text.
  /// - Throws: `JSONTextProblem` at the first byte that is wrong.
  package init(parsing bytes: [UInt8]) throws {
    if let offset = firstInvalidUTF8(in: bytes) {
      throw JSONTextProblem(offset: offset, problem: "not valid UTF-8")
    }
    do {
      var scanner = JSONScanner(bytes)
      self = try scanner.readValue()
      scanner.skipWhitespace()
      guard scanner.next == nil else { throw scanner.unexpected("the end of the text") }
    } catch let error as JSONSyntaxError {
      throw JSONTextProblem(offset: error.offset, problem: error.problem)
    }
  }

  /// The member of an object with a name, compared as UTF-8 bytes.
  package subscript(name name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first(named: name)?.value
  }
}

/// What is wrong with a JSON text, and at which byte.
package struct JSONTextProblem: Error, CustomStringConvertible {
  /// Offset from the start of the text.
  package let offset: Int

  /// What was expected and what was found.
  package let problem: String

  /// Place and problem as one sentence.
  package var description: String { "at byte \(offset): \(problem)" }
}

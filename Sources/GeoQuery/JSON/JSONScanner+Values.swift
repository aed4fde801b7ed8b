extension JSONScanner {
  /// Reads one value.
  ///
  /// - Throws: `JSONSyntaxError` also if an object names a member twice: readers differ on which
  ///   one counts, so neither does.
  package mutating func readValue(depth: Int = 0) throws(JSONSyntaxError) -> JSONValue {
    skipWhitespace()
    switch next {
    case UInt8(ascii: "{"): return .object(try readMembers(depth: depth))
    case UInt8(ascii: "["):
      var elements: [JSONValue] = []
      try eachElement(depth: depth) { (scanner, deeper) throws(JSONSyntaxError) in
        elements.append(try scanner.readValue(depth: deeper))
      }
      return .array(elements)
    case UInt8(ascii: "\""): return .string(try readString())
    default:
      let start = position
      try skipScalar()
      let token = String(decoding: bytes[start..<position], as: UTF8.self)
      switch token {
      case "true": return .bool(true)
      case "false": return .bool(false)
      case "null": return .null
      default: return .number(token)
      }
    }
  }

  private mutating func readMembers(depth: Int) throws(JSONSyntaxError) -> [JSONMember] {
    var members: [JSONMember] = []
    var names = MemberNames()
    try eachMember(depth: depth) { (scanner, deeper) throws(JSONSyntaxError) in
      let start = scanner.position
      let name = try scanner.readString()
      guard names.add(name, at: start..<scanner.position, of: scanner.bytes) else {
        throw JSONSyntaxError(
          offset: start,
          problem: "member \"\(shortened(name))\" is given twice"
        )
      }
      try scanner.expectColon()
      if members.isEmpty { members.reserveCapacity(16) }
      members.append(JSONMember(name: name, value: try scanner.readValue(depth: deeper)))
    }
    return members
  }

  /// The names of an object's members with the range of each value, without building the values.
  ///
  /// Where the text breaks off or is broken, what came before counts, and the value that was begun.
  package func outline() -> [(name: String, range: Range<Int>)] {
    var scanner = self
    var members: [(name: String, range: Range<Int>)] = []
    scanner.skipWhitespace()
    guard scanner.next == UInt8(ascii: "{") else { return [] }
    try? scanner.eachMember(depth: 0) { (scanner, _) throws(JSONSyntaxError) in
      let name = try scanner.readString()
      try scanner.expectColon()
      scanner.skipWhitespace()
      let start = scanner.position
      do throws(JSONSyntaxError) {
        try scanner.skipValue()
        members.append((name, start..<scanner.position))
      } catch {
        members.append((name, start..<scanner.end))
        throw error
      }
    }
    return members
  }
}

/// Reads CQL2 text by the grammar of OGC 21-065r2, annex B, as far as the declared classes have it, and ILIKE,
/// which GDAL sends.
///
/// Columns count Unicode scalars from 1.
struct CQL2TextParser: ScalarReader {
  let scalars: [Unicode.Scalar]
  var index = 0
  private var depth = 0

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  mutating func readAll() throws(QueryError) -> CQL2Node {
    let node = try readAlternatives()
    guard index == scalars.count else {
      let rest = String(String.UnicodeScalarView(scalars[index...].prefix(40)))
      throw problem("expected AND, OR or the end, got \"\(shortened(rest))\"", at: index)
    }
    return node
  }

  // MARK: - Conditions

  private mutating func readAlternatives() throws(QueryError) -> CQL2Node {
    var parts = [try readConjunction()]
    while takeWord("or") { parts.append(try readConjunction()) }
    return parts.count == 1 ? parts[0] : .call("or", parts, at: parts[0].place)
  }

  private mutating func readConjunction() throws(QueryError) -> CQL2Node {
    var parts = [try readFactor()]
    while takeWord("and") { parts.append(try readFactor()) }
    return parts.count == 1 ? parts[0] : .call("and", parts, at: parts[0].place)
  }

  private mutating func readFactor() throws(QueryError) -> CQL2Node {
    let place = here
    if takeWord("not") { return .call("not", [try readPrimary()], at: place) }
    return try readPrimary()
  }

  private mutating func readPrimary() throws(QueryError) -> CQL2Node {
    let start = here
    guard take("(") else { return try readPredicate() }
    try descend()
    defer { depth -= 1 }
    let inner = try readAlternatives()
    guard take(")") else { throw start.problem("the parenthesis is not closed") }
    return inner
  }

  private mutating func descend() throws(QueryError) {
    depth += 1
    guard depth <= FilterExpression.maximumDepth else {
      throw here.problem("nested more than \(FilterExpression.maximumDepth) deep")
    }
  }

  private mutating func readPredicate() throws(QueryError) -> CQL2Node {
    let left = try readOperand()
    let place = here
    if let sign = takeSign() { return .call(sign, [left, try readOperand()], at: left.place) }
    if takeWord("is") {
      let isNegated = takeWord("not")
      guard takeWord("null") else { throw here.problem("expected NULL") }
      return negated(isNegated, .call("isNull", [left], at: left.place))
    }
    let isNegated = takeWord("not")
    if takeWord("like") {
      return negated(isNegated, .call("like", [left, try readOperand()], at: left.place))
    }
    if takeWord("ilike") {
      // GDAL's: CQL2 has CASEI for it
      let pair = [left, try readOperand()].map { CQL2Node.call("casei", [$0], at: $0.place) }
      return negated(isNegated, .call("like", pair, at: left.place))
    }
    if takeWord("between") {
      let low = try readOperand()
      guard takeWord("and") else { throw here.problem("expected AND between two numbers") }
      return negated(isNegated, .call("between", [left, low, try readOperand()], at: left.place))
    }
    if takeWord("in") {
      let list = here
      return negated(
        isNegated,
        .call("in", [left, .list(try readArguments(), at: list)], at: left.place)
      )
    }
    switch left {
    case .flag where !isNegated, .call where !isNegated: return left
    default: throw place.problem("expected a comparison")
    }
  }

  private func negated(_ isNegated: Bool, _ node: CQL2Node) -> CQL2Node {
    isNegated ? .call("not", [node], at: node.place) : node
  }

  /// The operands in parentheses, one or more.
  private mutating func readArguments() throws(QueryError) -> [CQL2Node] {
    let start = here
    guard take("(") else { throw here.problem("expected a parenthesis") }
    try descend()
    defer { depth -= 1 }
    var arguments: [CQL2Node] = []
    repeat { arguments.append(try readOperand()) } while take(",")
    guard take(")") else { throw start.problem("the parenthesis is not closed") }
    return arguments
  }

  // MARK: - Operands

  private static let geometries = [
    "point": "Point", "polygon": "Polygon", "multipolygon": "MultiPolygon",
    "linestring": "LineString", "multipoint": "MultiPoint", "multilinestring": "MultiLineString",
    "geometrycollection": "GeometryCollection",
  ]

  private mutating func readOperand() throws(QueryError) -> CQL2Node {
    skipBlanks()
    let place = here
    guard let next = peek else { throw place.problem("expected a property or a value") }
    switch next {
    case "'": return try readText()
    case "\"":
      guard let name = takeQuoted() else { throw place.problem("the name is not closed") }
      return .property(name, at: place)
    case "0"..."9", "+", "-", ".": return .number(try readNumber(), at: place)
    default: break
    }
    guard let name = takeName() else {
      throw place.problem("expected a property or a value, got \"\(next)\"")
    }
    let word = name.lowercased()
    switch word {
    case "true", "false": return .flag(word == "true", at: place)
    case "and", "or", "not", "like", "between", "in", "is", "null", "div":
      throw place.problem("expected a property or a value, got \(name)")
    default: break
    }
    skipBlanks()
    if let type = Self.geometries[word] {
      _ = takeWord("z")
      return try geometry(type, place)
    }
    guard peek == "(" else { return .property(name, at: place) }
    switch word {
    case "casei", "accenti", "s_intersects", "s_within":
      return .call(word, try readArguments(), at: place)
    case "date", "timestamp":
      guard case .text(let text, _, _)? = try readArguments().first else {
        throw place.problem("\(word) needs a text")
      }
      return try CQL2Node(instant: text, isDate: word == "date", at: place)
    case "bbox":
      var numbers: [Double] = []
      for case .number(let number, _) in try readArguments() { numbers.append(number) }
      return try CQL2Node(box: numbers, at: place)
    default: throw place.problem("the function \(shortened(name)) is not supported")
    }
  }

  private mutating func geometry(_ type: String, _ place: CQL2Place) throws(QueryError) -> CQL2Node
  {
    let coordinates = try readCoordinates()
    guard type == "Point" else { return try CQL2Node(geometry: type, coordinates, at: place) }
    guard case .array(let points) = coordinates, points.count == 1 else {
      throw place.problem("a point has one position")
    }
    return try CQL2Node(geometry: type, points[0], at: place)
  }

  /// Positions or lists of them in parentheses, as GeoJSON has them.
  private mutating func readCoordinates() throws(QueryError) -> JSONValue {
    let start = here
    guard take("(") else { throw here.problem("expected a parenthesis") }
    try descend()
    defer { depth -= 1 }
    var items: [JSONValue] = []
    repeat {
      skipBlanks()
      if peek == "(" {
        items.append(try readCoordinates())
        continue
      }
      var numbers: [JSONValue] = []
      while let next = peek, !",)".unicodeScalars.contains(next) {
        numbers.append(.number(try readNumber().description))
        skipBlanks()
      }
      items.append(.array(numbers))
    } while take(",")
    guard take(")") else { throw start.problem("the parenthesis is not closed") }
    return .array(items)
  }

  private mutating func readText() throws(QueryError) -> CQL2Node {
    let place = here
    index += 1
    var (text, pattern) = (String.UnicodeScalarView(), String.UnicodeScalarView())
    while let scalar = peek {
      index += 1
      let next = peek
      if scalar == "'" {
        guard next == "'" else { return .text(String(text), pattern: String(pattern), at: place) }
        index += 1
      } else if scalar == "\\", let next {
        index += 1
        if let character = Self.escapes[next] {
          text.append(character)
          pattern.append(character)
        } else {
          // what LIKE escapes stays escaped for it
          if next != "\\" { text.append(scalar) }
          text.append(next)
          pattern.append(contentsOf: [scalar, next])
        }
        continue
      }
      text.append(scalar)
      pattern.append(scalar)
    }
    throw place.problem("the text is not closed")
  }

  /// The escapes of requirement /req/cql2-text/escaping.
  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "'": "'", "a": "\u{7}", "b": "\u{8}", "t": "\t", "n": "\n", "v": "\u{B}", "f": "\u{C}",
    "r": "\r",
  ]

  private mutating func readNumber() throws(QueryError) -> Double {
    let start = index
    // a sign may come first, and first in an exponent
    var last: Unicode.Scalar = "e"
    let token = take { scalar in
      let isExponent = "eE".unicodeScalars.contains(last)
      last = scalar
      return "0123456789.eE".unicodeScalars.contains(scalar)
        || isExponent && "+-".unicodeScalars.contains(scalar)
    }
    guard let number = decimal(token.hasSuffix(".") ? token + "0" : token), number.isFinite else {
      throw problem("\"\(shortened(token))\" is not a number", at: start)
    }
    return number
  }

  // MARK: - Words

  private var here: CQL2Place {
    mutating get {
      skipBlanks()
      return .column(index + 1)
    }
  }

  private func problem(_ text: String, at index: Int) -> QueryError {
    CQL2Place.column(index + 1).problem(text)
  }

  private mutating func skipBlanks() {
    while let scalar = peek, scalar.properties.isWhitespace { index += 1 }
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard peek == mark else { return false }
    index += 1
    return true
  }

  private mutating func takeSign() -> String? {
    skipBlanks()
    for sign in ["<>", "<=", ">=", "=", "<", ">"]
    where scalars[index...].starts(with: sign.unicodeScalars) {
      index += sign.unicodeScalars.count
      return sign
    }
    return nil
  }

  private mutating func takeWord(_ word: String) -> Bool {
    skipBlanks()
    let start = index
    if let name = takeName(), name.lowercased() == word { return true }
    index = start
    return false
  }

  /// An identifier; nil if none is next.
  private mutating func takeName() -> String? {
    let start = index
    while let scalar = peek, Self.isNamePart(scalar, isFirst: index == start) { index += 1 }
    return index > start ? text(from: start) : nil
  }

  private static func isNamePart(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
    switch scalar.value {
    case 0x3A, 0x5F, 0x41...0x5A, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF,
      0x370...0x37D, 0x37F...0x1FFE, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF,
      0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
      true
    case 0x2E, 0x30...0x39, 0x300...0x36F, 0x203F...0x2040: !isFirst
    default: false
    }
  }
}

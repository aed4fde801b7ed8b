import GeoQuery

extension JSONScanner {
  /// A scanner over a part of a feed, which may have NaN and infinities.
  init(feed bytes: [UInt8], _ range: Range<Int>) {
    self.init(bytes, range: range, allowsNaN: true)
  }
}

/// Reads JSON from a window: an item cut off at the end of the buffered bytes is read again with
/// more.
extension FeedWindow {
  /// The maximum length of a skipped text, in one piece or as blanks: a feed with more is rejected.
  static let maximumSkip = 256 << 20

  /// Moves past white space.
  ///
  /// - Returns: The byte that follows, or nil at the end of the feed.
  mutating func skipWhitespace() throws -> UInt8? {
    let start = offset
    while true {
      var scanner = JSONScanner(feed: bytes, position..<bytes.count)
      scanner.skipWhitespace()
      position = scanner.position
      if let next { return next }
      try checkBlank(since: start)
      guard try fill() else { return nil }
    }
  }

  /// Rejects a feed that has only blanks and separators for too long.
  func checkBlank(since start: Int) throws(FeedFault) {
    guard offset - start <= Self.maximumSkip else {
      throw FeedFault("more than \(Self.maximumSkip >> 20) MiB of white space", at: offset)
    }
  }

  /// Reads a punctuation mark after white space, if it is next.
  mutating func take(_ mark: Unicode.Scalar) throws -> Bool {
    guard try skipWhitespace() == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  /// Reads a member's name and the colon after it.
  mutating func readName() throws -> String {
    guard try skipWhitespace() == UInt8(ascii: "\"") else {
      throw FeedFault(unexpected("a member name in double quotes"))
    }
    var name = ""
    try retrying { (scanner) throws(JSONSyntaxError) in name = try scanner.readString() }
    guard try take(":") else { throw FeedFault(unexpected("\":\"")) }
    return name
  }

  /// Reads the value that begins here as a record.
  ///
  /// - Parameters:
  ///   - depth: The number of arrays and objects around it.
  ///   - recognition: Recognizes records with unchanged bytes.
  /// - Returns: The value, or the error of this record alone.
  /// - Throws: `FeedFault` if reading fails; `JSONSyntaxError` with an offset in the feed if
  ///   the text is not JSON.
  mutating func readRecord(
    depth: Int,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText {
    var value = JSONValue.null
    var replaced: String?
    let start = offset
    if let recognition, let known = recognize(recognition) {
      return RecordText(content: .known(known), range: start..<offset)
    }
    do {
      let isWhole = try retrying(upTo: FeedReader.maximumRecordBytes) {
        (scanner) throws(JSONSyntaxError) in
        value = try scanner.readValue(depth: depth)
        replaced = scanner.replaced
      }
      guard isWhole, offset - start <= FeedReader.maximumRecordBytes else {
        return try skipLong(from: start, isPassed: isWhole)
      }
      return RecordText(
        content: .value(value),
        range: start..<offset,
        warning: replaced.map { "\($0) is not a value; read as null" }
      )
    } catch let error as JSONSyntaxError {
      // a repeated member, half a surrogate pair or too many levels are still JSON, so only this
      // record is rejected; in a sequence an unclosed array must not consume the others
      let limit = depth == 0 ? JSONScanner.maximumDepth : .max
      let isWhole = try retrying(upTo: FeedReader.maximumRecordBytes) {
        (scanner) throws(JSONSyntaxError) in try scanner.skipValue(upTo: limit)
      }
      guard isWhole, offset - start <= FeedReader.maximumRecordBytes else {
        return try skipLong(from: start, isPassed: isWhole)
      }
      return RecordText(content: .broken(error), range: start..<offset)
    }
  }

  /// Moves past the record that begins here if its bytes are unchanged.
  ///
  /// A record that is not completely buffered is parsed like any other. Look-ahead is limited to
  /// twice the bytes read, so that malformed records cost linear time.
  private mutating func recognize(_ recognition: RecordRecognition) -> Int? {
    guard searchedCount <= 2 * offset + Self.chunk else { return nil }
    let found = recognition.recognize(bytes, from: position)
    searchedCount += (found.end ?? bytes.count) - position
    guard let known = found.position, let end = found.end else { return nil }
    position = end
    return known
  }

  /// Moves past the value that begins here, whatever its length and depth.
  ///
  /// - Throws: `JSONSyntaxError` with an offset in the feed if the text is not JSON.
  mutating func skipValue() throws {
    var skipper = JSONSkipper()
    let start = offset
    let line = line(at: start)
    while true {
      do throws(JSONSyntaxError) {
        let end = try skipper.skip(bytes, position..<bytes.count, isLast: isAtEnd)
        position = end ?? bytes.count
        if end != nil { return }
      } catch {
        throw error.moved(by: base)
      }
      guard offset - start <= Self.maximumSkip else {
        throw FeedFault(
          "a value has more than \(Self.maximumSkip >> 20) MiB",
          at: start,
          line: line
        )
      }
      _ = try fill()
    }
  }

  /// The error for the byte found here instead of `expected`.
  func unexpected(_ expected: String) -> JSONSyntaxError {
    JSONScanner(feed: bytes, position..<bytes.count).unexpected(expected).moved(by: base)
  }

  private mutating func skipLong(
    from start: Int,
    isPassed: Bool
  ) throws -> RecordText {
    let line = line(at: start)
    if !isPassed { try skipValue() }
    return RecordText(content: .tooLong, range: start..<offset, line: line)
  }

  /// Runs a scanner from here, and repeats it with more bytes while it reaches their end.
  ///
  /// - Returns: False if it needs more than the limit, in which case `position` does not change.
  /// - Throws: `JSONSyntaxError` with an offset in the feed.
  @discardableResult
  private mutating func retrying(
    upTo limit: Int = FeedReader.maximumRecordBytes,
    _ read: (inout JSONScanner) throws(JSONSyntaxError) -> Void
  ) throws -> Bool {
    while true {
      do throws(JSONSyntaxError) {
        var scanner = JSONScanner(feed: bytes, position..<bytes.count)
        try read(&scanner)
        if scanner.position < bytes.count || isAtEnd {
          position = scanner.position
          return true
        }
      } catch {
        if error.offset < bytes.count || isAtEnd { throw error.moved(by: base) }
      }
      if bytes.count - position > limit { return false }
      _ = try fill()
    }
  }
}

/// Skips one JSON value of any length without storing it.
///
/// The same grammar as `JSONScanner` for structure and strings, a byte at a time, so that a value
/// may be cut anywhere between two pieces. Only the first 64 bytes of numbers and words are
/// checked, because skipped values are never used.
struct JSONSkipper {
  private enum Expected {
    case value, firstElementOrClose, nameOrClose, name, colon, commaOrClose
  }

  private static let maximumTokenBytes = 64

  private var expected = Expected.value
  private var brackets = OpenBrackets()
  private var string: JSONStringSkipper?
  private var isName = false
  private var token: [UInt8] = []

  /// Continues with another piece.
  ///
  /// - Parameters:
  ///   - bytes: The window that holds the piece.
  ///   - range: The piece.
  ///   - isLast: Whether the text ends with it.
  /// - Returns: The index after the value, or nil if it continues in the next piece.
  /// - Throws: `JSONSyntaxError` at the index of the first byte that cannot belong to the value.
  mutating func skip(
    _ bytes: [UInt8],
    _ range: Range<Int>,
    isLast: Bool
  ) throws(JSONSyntaxError) -> Int? {
    var position = range.lowerBound
    while position < range.upperBound {
      if string != nil {
        try skipString(bytes, &position, range.upperBound)
      } else {
        let byte = bytes[position]
        if isTokenByte(byte) {
          if token.isEmpty { try checkTakesValue(bytes, position) }
          if token.count < Self.maximumTokenBytes { token.append(byte) }
        } else {
          try endToken(at: position)
          if isDone { return position }
          try takeMark(bytes, position)
        }
        position += 1
      }
      if isDone { return position }
    }
    guard isLast else { return nil }
    if string != nil {
      throw JSONSyntaxError(offset: position, problem: "the text ends inside a string")
    }
    try endToken(at: position)
    if isDone { return position }
    throw fault(bytes, position, position)
  }

  private var isDone: Bool {
    brackets.count == 0 && expected == .commaOrClose && string == nil && token.isEmpty
  }

  private mutating func skipString(
    _ bytes: [UInt8],
    _ position: inout Int,
    _ end: Int
  ) throws(JSONSyntaxError) {
    guard try string?.skip(bytes, &position, end) == true else { return }
    string = nil
    expected = isName ? .colon : .commaOrClose
  }

  private func checkTakesValue(_ bytes: [UInt8], _ position: Int) throws(JSONSyntaxError) {
    guard expected == .value || expected == .firstElementOrClose else {
      throw fault(bytes, position, bytes.count)
    }
  }

  private mutating func endToken(at end: Int) throws(JSONSyntaxError) {
    guard !token.isEmpty else { return }
    if token.count < Self.maximumTokenBytes {
      var scanner = JSONScanner(feed: token, 0..<token.count)
      do throws(JSONSyntaxError) {
        try scanner.skipValue()
        if scanner.next != nil { throw scanner.unexpected("the end of the value") }
      } catch {
        throw JSONSyntaxError(
          offset: max(0, end - token.count + error.offset),
          problem: error.problem
        )
      }
    }
    token.removeAll(keepingCapacity: true)
    expected = .commaOrClose
  }

  /// Takes one byte that is not part of a string, a number or a word.
  private mutating func takeMark(_ bytes: [UInt8], _ position: Int) throws(JSONSyntaxError) {
    let takesValue = expected == .value || expected == .firstElementOrClose
    let inObject = brackets.isObject == true
    switch bytes[position] {
    case 0x20, 0x09, 0x0A, 0x0D: break
    case UInt8(ascii: "{") where takesValue: open(isObject: true)
    case UInt8(ascii: "[") where takesValue: open(isObject: false)
    case UInt8(ascii: "\"") where takesValue:
      isName = false
      string = JSONStringSkipper()
    case UInt8(ascii: "\"") where expected == .name || expected == .nameOrClose:
      isName = true
      string = JSONStringSkipper()
    case UInt8(ascii: ":") where expected == .colon: expected = .value
    case UInt8(ascii: ",") where expected == .commaOrClose: expected = inObject ? .name : .value
    case UInt8(ascii: "}")
    where inObject && (expected == .commaOrClose || expected == .nameOrClose),
      UInt8(ascii: "]")
    where !inObject
      && (expected == .commaOrClose || expected == .firstElementOrClose):
      brackets.close()
      expected = .commaOrClose
    default: throw fault(bytes, position, bytes.count)
    }
  }

  private mutating func open(isObject: Bool) {
    brackets.open(isObject: isObject)
    expected = isObject ? .nameOrClose : .firstElementOrClose
  }

  private func fault(_ bytes: [UInt8], _ position: Int, _ end: Int) -> JSONSyntaxError {
    let words =
      switch expected {
      case .value, .firstElementOrClose: "a value"
      case .nameOrClose, .name: "a member name in double quotes"
      case .colon: "\":\""
      case .commaOrClose: brackets.isObject == true ? "\",\" or \"}\"" : "\",\" or \"]\""
      }
    return JSONScanner(feed: bytes, position..<end).unexpected(words)
  }

  private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

/// Skips the rest of a string, after its opening quote.
private struct JSONStringSkipper {
  /// How much of an escape is still to come: nil for none, 0 for its letter, then hex digits.
  private var escape: Int?

  /// Moves to the closing quote; true if it was passed.
  mutating func skip(
    _ bytes: [UInt8],
    _ position: inout Int,
    _ end: Int
  ) throws(JSONSyntaxError) -> Bool {
    while position < end {
      if let rest = escape {
        try skipEscape(bytes, position, rest, end)
        position += 1
        continue
      }
      position = endOfPlainText(bytes, position, end)
      guard position < end else { return false }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return true
      case UInt8(ascii: "\\"):
        escape = 0
        position += 1
      default:
        throw JSONSyntaxError(
          offset: position,
          problem: "control character \(hex(bytes[position])) inside a string; it must be escaped"
        )
      }
    }
    return false
  }

  private mutating func skipEscape(
    _ bytes: [UInt8],
    _ position: Int,
    _ rest: Int,
    _ end: Int
  ) throws(JSONSyntaxError) {
    let scalar = Unicode.Scalar(bytes[position])
    if rest > 0 {
      guard Character(scalar).isHexDigit, scalar.isASCII else {
        throw JSONScanner(feed: bytes, position..<end).unexpected("four hexadecimal digits")
      }
      escape = rest == 1 ? nil : rest - 1
      return
    }
    guard "\"\\/bfnrtu".unicodeScalars.contains(scalar) else {
      throw JSONScanner(feed: bytes, position..<end)
        .unexpected("an escape such as \\n or \\u0041")
    }
    escape = scalar == "u" ? 4 : nil
  }
}

extension JSONSyntaxError {
  /// The error with its offset increased by a distance.
  func moved(by distance: Int) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset + distance, problem: problem)
  }
}

import GeoQuery

/// Reads JSON from a window: an item cut off at the end of the buffered bytes is read again with
/// more.
extension FeedWindow {
  /// The maximum length of a skipped text, in one piece or as blanks: a feed with more is rejected.
  static let maximumSkip = 256 << 20

  /// Moves past white space to the byte that follows; nil at the end of the feed.
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
      throw unexpected("a member name in double quotes")
    }
    var name = ""
    try retrying { (scanner) throws(JSONSyntaxError) in name = try scanner.readString() }
    guard try take(":") else { throw unexpected("\":\"") }
    return name
  }

  /// Reads the value that begins here, inside `depth` arrays and objects, as a record: the value, or
  /// the error of this record alone.
  ///
  /// - Throws: `FeedFault` if reading fails; `JSONSyntaxError` with an offset in the feed if
  ///   the text is not JSON.
  mutating func readRecord(depth: Int, _ recognition: RecordRecognition?) throws -> RecordText {
    let start = offset
    if let recognition, let known = recognize(recognition) {
      return RecordText(content: .known(known), range: start..<offset)
    }
    let maximum = FeedReader.maximumRecordBytes
    var content = RecordText.Content.tooLong
    var replaced: String?
    var isWhole = false
    do {
      var value = JSONValue.null
      isWhole = try retrying(upTo: maximum) { (scanner) throws(JSONSyntaxError) in
        value = try scanner.readValue(depth: depth)
        replaced = scanner.replaced
      }
      content = .value(value)
    } catch let error as JSONSyntaxError {
      // a repeated member, half a surrogate pair or too many levels are still JSON, so only this
      // record is rejected; in a sequence an unclosed array must not consume the others
      let limit = depth == 0 ? JSONScanner.maximumDepth : .max
      isWhole = try retrying(upTo: maximum) { (scanner) throws(JSONSyntaxError) in
        try scanner.skipValue(upTo: limit)
      }
      (content, replaced) = (.broken(error), nil)
    }
    guard isWhole, offset - start <= maximum else {
      let line = line(at: start)
      if !isWhole { try skipValue() }
      return RecordText(content: .tooLong, range: start..<offset, line: line)
    }
    let warning = replaced.map { "\($0) is not a value; read as null" }
    return RecordText(content: content, range: start..<offset, warning: warning)
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

  /// The error for the byte found here instead of `expected`.
  func unexpected(_ expected: String) -> JSONSyntaxError {
    JSONScanner(feed: bytes, position..<bytes.count).unexpected(expected).moved(by: base)
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

  /// The place of a value that is skipped.
  private typealias Start = (offset: Int, line: Int)

  /// The first bytes of a number or a word, which are checked.
  private static let maximumTokenBytes = 64

  /// Moves past the value that begins here, whatever its length and depth, without storing it.
  ///
  /// - Throws: `JSONSyntaxError` with an offset in the feed if the text is not JSON.
  mutating func skipValue() throws {
    let start = (offset, line(at: offset))
    var brackets = OpenBrackets()
    repeat {
      let next = try skipWhitespace()
      let isObject = next == UInt8(ascii: "{")
      if isObject || next == UInt8(ascii: "[") {
        position += 1
        if try !take(isObject ? "}" : "]") {
          brackets.open(isObject: isObject)
          if isObject { try skipName(start) }
          continue
        }
      } else if next == UInt8(ascii: "\"") {
        try skipString(start)
      } else {
        try skipToken(start)
      }
      while let isObject = brackets.isObject {
        if try take(",") {
          if isObject { try skipName(start) }
          break
        }
        let close: Unicode.Scalar = isObject ? "}" : "]"
        guard try take(close) else { throw unexpected("\",\" or \"\(close)\"") }
        brackets.close()
      }
    } while brackets.count > 0
  }

  private mutating func skipName(_ start: Start) throws {
    guard try skipWhitespace() == UInt8(ascii: "\"") else {
      throw unexpected("a member name in double quotes")
    }
    try skipString(start)
    guard try take(":") else { throw unexpected("\":\"") }
  }

  private mutating func skipString(_ start: Start) throws {
    position += 1
    while true {
      position = endOfPlainText(bytes, position, bytes.count)
      switch try nextInString(start) {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"):
        position += 1
        try skipEscape(start)
      case let byte where byte < 0x20:
        let problem = "control character \(hex(byte)) inside a string; it must be escaped"
        throw JSONSyntaxError(offset: offset, problem: problem)
      default: break
      }
    }
  }

  private mutating func skipEscape(_ start: Start) throws {
    let letter = try nextInString(start)
    guard "\"\\/bfnrtu".utf8.contains(letter) else {
      throw unexpected("an escape such as \\n or \\u0041")
    }
    position += 1
    for _ in 0..<(letter == UInt8(ascii: "u") ? 4 : 0) {
      guard Character(Unicode.Scalar(try nextInString(start))).isHexDigit else {
        throw unexpected("four hexadecimal digits")
      }
      position += 1
    }
  }

  /// The next byte, which must be there because a string is open.
  private mutating func nextInString(_ start: Start) throws -> UInt8 {
    while next == nil, try fill(since: start) {}
    guard let next else {
      throw JSONSyntaxError(offset: offset, problem: "the text ends inside a string")
    }
    return next
  }

  private mutating func skipToken(_ start: Start) throws {
    let begin = offset
    var token: [UInt8] = []
    while true {
      guard let next else {
        if try fill(since: start) { continue }
        break
      }
      guard next.isLetter || next.isDigit || "+-.".utf8.contains(next) else { break }
      if token.count < Self.maximumTokenBytes { token.append(next) }
      position += 1
    }
    if token.isEmpty { throw unexpected("a value") }
    guard token.count < Self.maximumTokenBytes else { return }
    do throws(JSONSyntaxError) {
      var scanner = JSONScanner(feed: token, 0..<token.count)
      try scanner.skipValue()
      if scanner.next != nil { throw scanner.unexpected("the end of the value") }
    } catch {
      throw error.moved(by: begin)
    }
  }

  /// Reads more bytes of a value that is skipped.
  private mutating func fill(since start: Start) throws -> Bool {
    guard offset - start.offset <= Self.maximumSkip else {
      let problem = "a value has more than \(Self.maximumSkip >> 20) MiB"
      throw FeedFault(problem, at: start.offset, line: start.line)
    }
    return try fill()
  }
}

extension JSONScanner {
  /// A scanner over a part of a feed, which may have NaN and infinities.
  init(feed bytes: [UInt8], _ range: Range<Int>) {
    self.init(bytes, range: range, allowsNaN: true)
  }
}

extension JSONSyntaxError {
  /// The error with its offset increased by a distance.
  func moved(by distance: Int) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset + distance, problem: problem)
  }
}

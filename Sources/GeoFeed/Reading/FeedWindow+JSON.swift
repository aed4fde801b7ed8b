import GeoQuery

/// Reading JSON from a window: what the end of the bytes at hand cuts off is read again with more.
extension FeedWindow {
  /// Longest text passed over, in one piece or as blanks: a feed that has more is no feed.
  static let maximumSkip = 256 << 20

  /// Moves past white space.
  ///
  /// - Returns: The byte that follows, or nil at the end of the feed.
  mutating func skipWhitespace() throws -> UInt8? {
    let start = offset
    while true {
      var scanner = JSONScanner(bytes, range: position..<bytes.count)
      scanner.skipWhitespace()
      position = scanner.position
      if let next { return next }
      try checkBlank(since: start)
      guard try fill() else { return nil }
    }
  }

  /// Gives a feed up that has nothing but blanks and separators for too long.
  func checkBlank(since start: Int) throws(FeedFault) {
    guard offset - start <= Self.maximumSkip else {
      throw FeedFault("more than \(Self.maximumSkip >> 20) MiB of white space", at: offset)
    }
  }

  /// Takes a punctuation mark after white space if it is next.
  mutating func take(_ mark: Unicode.Scalar) throws -> Bool {
    guard try skipWhitespace() == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  /// Reads a member's name and the colon behind it.
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
  ///   - depth: How many arrays and objects it stands in.
  ///   - recognition: Tells records that came before.
  /// - Returns: The value, or what is wrong with it alone.
  /// - Throws: `FeedFault` where reading fails; `JSONSyntaxError` with an offset in the feed where
  ///   the text is not JSON.
  mutating func readRecord(
    depth: Int,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText {
    var value = JSONValue.null
    let start = offset
    if let recognition, let known = recognise(recognition) {
      return RecordText(content: .known(known), range: start..<offset)
    }
    do {
      let isWhole = try retrying(upTo: FeedReader.maximumRecordBytes) {
        (scanner) throws(JSONSyntaxError) in value = try scanner.readValue(depth: depth)
      }
      guard isWhole, offset - start <= FeedReader.maximumRecordBytes else {
        return try skipLong(from: start, isPassed: isWhole)
      }
      return RecordText(content: .value(value), range: start..<offset)
    } catch let error as JSONSyntaxError {
      // a member given twice, half a surrogate pair or too many levels are JSON all the same: only the
      // record is lost; in a sequence an array that is not closed must not take the others with it
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

  /// Moves past the record that begins here if it came before.
  ///
  /// One that the bytes at hand cut off is read like any other. Where ends are looked for in vain, no
  /// more bytes are looked through than twice those read: broken records would else cost the square.
  private mutating func recognise(_ recognition: RecordRecognition) -> Int? {
    guard searchedCount <= 2 * offset + Self.chunk else { return nil }
    let found = recognition.recognise(bytes, from: position)
    searchedCount += (found.end ?? bytes.count) - position
    guard let known = found.position, let end = found.end else { return nil }
    position = end
    return known
  }

  /// Moves past the value that begins here, whatever its length and depth.
  ///
  /// - Throws: `JSONSyntaxError` with an offset in the feed where the text is not JSON.
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

  /// The error for what stands here instead of `expected`.
  func unexpected(_ expected: String) -> JSONSyntaxError {
    JSONScanner(bytes, range: position..<bytes.count).unexpected(expected).moved(by: base)
  }

  private mutating func skipLong(
    from start: Int,
    isPassed: Bool
  ) throws -> RecordText {
    let line = line(at: start)
    if !isPassed { try skipValue() }
    return RecordText(content: .tooLong, range: start..<offset, line: line)
  }

  /// Lets a scanner read from here, again and again with more bytes while it meets their end.
  ///
  /// - Returns: False where it asks for more than the limit; `position` has then not moved.
  /// - Throws: `JSONSyntaxError` with an offset in the feed.
  @discardableResult
  private mutating func retrying(
    upTo limit: Int = FeedReader.maximumRecordBytes,
    _ read: (inout JSONScanner) throws(JSONSyntaxError) -> Void
  ) throws -> Bool {
    while true {
      do throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes, range: position..<bytes.count)
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

extension JSONSyntaxError {
  /// The error as seen from so many bytes further ahead.
  func moved(by distance: Int) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset + distance, problem: problem)
  }
}

import GeoQuery

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
      var scanner = JSONScanner(bytes, range: position..<bytes.count)
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
    let start = offset
    if let recognition, let known = recognize(recognition) {
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
  /// The error with its offset increased by a distance.
  func moved(by distance: Int) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset + distance, problem: problem)
  }
}

import GeoQuery

/// Finds the texts of a sequence: after record separators (RFC 8142), one per line, or back to back.
///
/// A broken text in the middle affects only itself (RFC 8142 §2.3); an incomplete one at the end
/// means that the file is truncated, and the whole feed is rejected.
struct SequenceSplitter {
  /// Whether texts are separated by record separators; otherwise by line ends.
  let usesSeparators: Bool

  private static let recordSeparator: UInt8 = 0x1E
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The next text, or nil after the last.
  mutating func next(
    in window: inout FeedWindow,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText? {
    guard try Self.skipSeparators(in: &window) != nil else { return nil }
    let start = window.offset
    let line = window.line(at: start)
    do {
      return try window.readRecord(depth: 0, recognition)
    } catch let error as JSONSyntaxError {
      return try skipBroken(error, from: start, line: line, in: &window)
    }
  }

  /// Moves past white space and record separators; nil at the end of the feed.
  static func skipSeparators(in window: inout FeedWindow) throws -> UInt8? {
    let start = window.offset
    var next = try window.skipWhitespace()
    while let first = next {
      if first == recordSeparator {
        window.position += 1
      } else if first == byteOrderMark[0], try window.begins(with: byteOrderMark) {
        // files with one were joined
        window.position += byteOrderMark.count
      } else {
        break
      }
      try window.checkBlank(since: start)
      next = try window.skipWhitespace()
    }
    return next
  }

  private func skipBroken(
    _ error: JSONSyntaxError,
    from start: Int,
    line: Int,
    in window: inout FeedWindow
  ) throws -> RecordText {
    let isCut = window.isAtEnd && error.offset >= window.base + window.bytes.count
    // the start is no longer buffered if the text was too long
    let isHeld = window.base <= start
    if isHeld { window.position = start - window.base }
    let end = try skipToMark(in: &window)
    var fault = error
    if isHeld, end - start <= FeedReader.maximumRecordBytes {
      fault = Self.fault(in: window, start..<end) ?? error
    }
    let text = RecordText(content: .broken(fault), range: start..<end, line: line)
    guard isCut, try Self.isLast(in: &window) else { return text }
    throw FeedFault("the feed ends inside a record: \(error.problem)", at: start, line: line)
  }

  /// Whether only white space follows, so that everything left is buffered.
  private static func isLast(in window: inout FeedWindow) throws -> Bool {
    let position = window.position
    let isSeparated = window.next == recordSeparator
    defer { window.position = position }
    return try skipSeparators(in: &window) == nil && !isSeparated
  }

  private func skipToMark(in window: inout FeedWindow) throws -> Int {
    let mark: UInt8 = usesSeparators ? Self.recordSeparator : 0x0A
    var held = 0
    while true {
      let rest = window.bytes[(window.position + held)...]
      if let stop = rest.firstIndex(of: mark) {
        window.position = stop
        return window.offset
      }
      held = window.bytes.count - window.position
      if held > FeedReader.maximumRecordBytes {
        window.position = window.bytes.count
        held = 0
      }
      guard try window.fill() else {
        window.position = window.bytes.count
        return window.offset
      }
    }
  }

  /// The error found in one text by itself: a broken text may run on into the next.
  private static func fault(in window: FeedWindow, _ range: Range<Int>) -> JSONSyntaxError? {
    let (from, to) = (range.lowerBound - window.base, range.upperBound - window.base)
    guard from >= 0 else { return nil }
    var scanner = JSONScanner(feed: window.bytes, from..<to)
    do throws(JSONSyntaxError) {
      try scanner.skipValue(upTo: JSONScanner.maximumDepth)
      return nil
    } catch {
      return error.moved(by: window.base)
    }
  }
}

import GeoQuery

/// Counts the lines of a stream that is read through a window.
///
/// Increasing offsets cost one pass together; a lower offset is counted from the window's start.
struct LineCounter {
  private var base = LinePlace()
  private var last = LinePlace()

  private struct LinePlace {
    var offset = 0
    var line = 1
  }

  /// Counts up to a byte, from line 1.
  ///
  /// - Parameters:
  ///   - target: The byte's offset in the stream, inside the window.
  ///   - window: The bytes of the stream that are buffered.
  ///   - start: The offset of the window's first byte in the stream.
  /// - Returns: The line.
  mutating func line(at target: Int, in window: [UInt8], from start: Int) -> Int {
    if target < last.offset { last = base }
    let stop = min(target, start + window.count)
    if stop > last.offset {
      last.line += lineFeeds(in: window, last.offset - start..<stop - start)
      last.offset = stop
    }
    return last.line
  }

  /// Counts the lines before an offset, because these bytes are about to be freed.
  mutating func leave(_ offset: Int, _ window: [UInt8], from start: Int) {
    if offset < last.offset { last = base }
    _ = line(at: offset, in: window, from: start)
    base = last
  }
}

/// The number of line feeds in a range of bytes; checks eight bytes at a time.
private func lineFeeds(in bytes: [UInt8], _ range: Range<Int>) -> Int {
  bytes.withUnsafeBytes { all in
    var count = 0
    var position = range.lowerBound
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    while position + 8 <= range.upperBound {
      // a line feed becomes a zero byte, the only one whose high bit stays clear
      let word =
        all.loadUnaligned(fromByteOffset: position, as: UInt64.self) ^ 0x0A0A_0A0A_0A0A_0A0A
      count += (~(((word & low) &+ low) | word | low)).nonzeroBitCount
      position += 8
    }
    while position < range.upperBound {
      if all[position] == 0x0A { count += 1 }
      position += 1
    }
    return count
  }
}

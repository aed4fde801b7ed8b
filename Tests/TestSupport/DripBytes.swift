import GeoFeed

/// A source that gives a few bytes at a time, as a slow pipe does.
package struct DripBytes: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let size: Int

  package init(_ bytes: [UInt8], size: Int) {
    rest = bytes[...]
    self.size = size
  }

  package mutating func read(into space: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(size, space.count, rest.count)
    space.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }
}

/// A source that repeats a text after a beginning, up to `limit` bytes.
package struct EndlessBytes: ByteSource {
  private var start: [UInt8]
  private let pattern: [UInt8]
  private(set) var left: Int

  package init(_ start: String, then pattern: String, upTo count: Int) {
    self.start = Array(start.utf8)
    self.pattern = Array(pattern.utf8)
    left = count
  }

  package mutating func read(into space: UnsafeMutableRawBufferPointer) -> Int {
    if !start.isEmpty {
      let count = min(space.count, start.count)
      space.copyBytes(from: start.prefix(count))
      start.removeFirst(count)
      return count
    }
    var written = 0
    while written + pattern.count <= min(space.count, left) {
      UnsafeMutableRawBufferPointer(rebasing: space[written...]).copyBytes(from: pattern)
      written += pattern.count
    }
    left -= written
    return written
  }
}

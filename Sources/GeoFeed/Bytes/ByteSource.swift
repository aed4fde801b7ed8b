import GeoQuery

/// Bytes that come piece by piece: a file, standard input, memory, or another source unpacked.
public protocol ByteSource {
  /// Reads some bytes.
  ///
  /// - Parameter space: Where they go; not empty.
  /// - Returns: How many were read; 0 only at the end.
  /// - Throws: `ByteSourceError` where the source cannot be read on.
  mutating func read(into space: UnsafeMutableRawBufferPointer) throws -> Int
}

/// Why bytes could not be read.
public struct ByteSourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed, as a sentence.
  public let description: String

  /// Makes an error.
  public init(_ description: String) {
    self.description = description
  }
}

/// Bytes that are in memory already.
public struct MemoryBytes: ByteSource {
  private let bytes: [UInt8]
  private var position = 0

  /// Reads an array from its start.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Copies the next bytes.
  public mutating func read(into space: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(space.count, bytes.count - position)
    bytes.withUnsafeBytes { all in
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[position..<position + count]))
    }
    position += count
    return count
  }
}

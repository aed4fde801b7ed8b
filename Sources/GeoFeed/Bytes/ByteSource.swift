import GeoQuery

/// Bytes that are read piece by piece: from a file, standard input, memory, or another source that
/// is decompressed.
public protocol ByteSource {
  /// Reads some bytes.
  ///
  /// - Parameter space: The buffer to fill; not empty.
  /// - Returns: The number of bytes read; 0 only at the end.
  /// - Throws: `ByteSourceError` if reading fails.
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

/// Bytes in memory.
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

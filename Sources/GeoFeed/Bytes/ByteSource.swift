import CZlib
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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

extension ByteSource {
  /// Reads some bytes, at most `limit`; empty only at the end.
  package mutating func readChunk(_ limit: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: limit) { space, count in
      count = try read(into: UnsafeMutableRawBufferPointer(space))
    }
  }
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

/// The bytes of an open file, a pipe or standard input.
public struct FileBytes: ByteSource {
  private let descriptor: Int32

  /// Reads from an open descriptor, which the caller closes.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads available bytes, and waits for the first.
  public mutating func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = systemRead(descriptor, space.baseAddress, space.count)
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw ByteSourceError("cannot be read: \(String(cString: strerror(errno)))")
      }
    }
  }
}

private let systemRead = read(_:_:_:)

/// The decompressed bytes of a gzip stream (RFC 1952) with one or several members.
///
/// Memory does not grow with the decompressed size.
package final class GzipBytes: ByteSource {
  /// The first bytes of each gzip member.
  static let magic: [UInt8] = [0x1F, 0x8B]

  private static let chunk = 1 << 16

  private var packed: any ByteSource
  private var input: [UInt8]
  private var position = 0
  private var inputEnded = false
  private var isBetweenMembers = false
  private var stream = z_stream()

  /// Decompresses a source whose first bytes have already been read.
  package init(start: [UInt8], then packed: any ByteSource) throws {
    input = start
    self.packed = packed
    // a window of 15 bits; 16 more accepts gzip only
    let code = inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw ByteSourceError("gzip: not enough memory to decompress it") }
  }

  deinit {
    inflateEnd(&stream)
  }

  package func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    var written = 0
    while written == 0 {
      if position == input.count { try readInput() }
      if isBetweenMembers {
        guard try beginsMember() else { return 0 }
        inflateReset(&stream)
        isBetweenMembers = false
      }
      guard position < input.count else {
        throw ByteSourceError("the gzip data ends early; the file is incomplete")
      }
      written = try inflateSome(into: space)
    }
    return written
  }

  private func inflateSome(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    var code = Z_OK
    input.withUnsafeMutableBufferPointer { bytes in
      stream.next_in = bytes.baseAddress.map { $0 + position }
      stream.avail_in = UInt32(bytes.count - position)
      stream.next_out = space.bindMemory(to: UInt8.self).baseAddress
      stream.avail_out = UInt32(clamping: space.count)
      code = inflate(&stream, Z_NO_FLUSH)
      position = bytes.count - Int(stream.avail_in)
    }
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isBetweenMembers = true
    default:
      let reason = stream.msg.map { String(cString: $0) } ?? "code \(code)"
      throw ByteSourceError("the gzip data is damaged (\(reason))")
    }
    return Int(UInt32(clamping: space.count) - stream.avail_out)
  }

  /// Whether another member follows; zeros that pad the file to a block are ignored (RFC 1952
  /// §2.2).
  private func beginsMember() throws -> Bool {
    while true {
      while position < input.count, input[position] == 0 { position += 1 }
      if position < input.count { break }
      if inputEnded { return false }
      try readInput()
    }
    guard input[position] == Self.magic[0] else {
      throw ByteSourceError("other data follows the end of the gzip data")
    }
    return true
  }

  private func readInput() throws {
    if inputEnded { return }
    input = try packed.readChunk(Self.chunk)
    position = 0
    inputEnded = input.isEmpty
  }
}

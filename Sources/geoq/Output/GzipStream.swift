import CZlib

/// Compresses a stream of bytes (RFC 1952, or RFC 1950 for pictures), in constant memory.
final class GzipStream {
  private var stream = z_stream()

  /// Whether a file's extension is that of gzip.
  static func isNamed(by fileName: String) -> Bool {
    fileName.lowercased().hasSuffix(".gz")
  }

  /// Starts a file; nil if zlib has no memory.
  ///
  /// - Parameter isZlib: Whether it has the short header of zlib, which pictures need.
  init?(isZlib: Bool = false) {
    let status = deflateInit2_(
      &stream,
      Z_DEFAULT_COMPRESSION,
      Z_DEFLATED,
      isZlib ? 15 : 15 + 16,  // a window of 15 bits; 16 more asks for a gzip header
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    guard status == Z_OK else { return nil }
  }

  deinit {
    deflateEnd(&stream)
  }

  /// The compressed bytes that are ready after adding some; with `isEnd`, all that are left.
  func compress(_ bytes: [UInt8], isEnd: Bool = false) -> [UInt8] {
    var input = bytes
    var output: [UInt8] = []
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      repeat {
        output += [UInt8](unsafeUninitializedCapacity: 1 << 16) { piece, filled in
          stream.next_out = piece.baseAddress
          stream.avail_out = UInt32(piece.count)
          deflate(&stream, isEnd ? Z_FINISH : Z_NO_FLUSH)
          filled = piece.count - Int(stream.avail_out)
        }
      } while stream.avail_out == 0
      stream.next_in = nil
    }
    return output
  }

  /// Compresses bytes in one step, and starts again: that costs less than a new stream.
  func compressWhole(_ bytes: [UInt8]) -> [UInt8] {
    defer { deflateReset(&stream) }
    return compress(bytes, isEnd: true)
  }

  /// Compresses bytes in one step; nil if zlib has no memory.
  static func compressed(_ bytes: [UInt8], isZlib: Bool = false) -> [UInt8]? {
    GzipStream(isZlib: isZlib)?.compress(bytes, isEnd: true)
  }

  /// The CRC-32 of some bytes.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(crc32(0, bytes, UInt32(bytes.count)))
  }
}

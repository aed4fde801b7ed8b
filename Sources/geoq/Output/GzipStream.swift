import CZlib

/// Compresses bytes as they come (RFC 1952), in constant memory.
final class GzipStream {
  private var stream = z_stream()

  /// Whether a file's name asks for gzip.
  static func isNamed(by fileName: String) -> Bool {
    fileName.lowercased().hasSuffix(".gz")
  }

  /// Begins a file; nil if zlib has no memory.
  init?() {
    let status = deflateInit2_(
      &stream,
      Z_DEFAULT_COMPRESSION,
      Z_DEFLATED,
      15 + 16,  // 15 bits of window, and 16 for a gzip header
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

  /// The compressed bytes that are ready after some more; with `isEnd` all that are left.
  func compress(_ bytes: [UInt8], isEnd: Bool = false) -> [UInt8] {
    var input = bytes
    var output: [UInt8] = []
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      repeat {
        let count = piece.withUnsafeMutableBufferPointer { piece in
          stream.next_out = piece.baseAddress
          stream.avail_out = UInt32(piece.count)
          deflate(&stream, isEnd ? Z_FINISH : Z_NO_FLUSH)
          return piece.count - Int(stream.avail_out)
        }
        output += piece[..<count]
      } while stream.avail_out == 0
      stream.next_in = nil
    }
    return output
  }

  /// Compresses bytes that are all there is; nil if zlib has no memory.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    GzipStream()?.compress(bytes, isEnd: true)
  }
}

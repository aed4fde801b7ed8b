import CZlib
import GeoFeed
import GeoQuery

/// Compression for clients that accept it.
enum Gzip {
  /// Whether an `Accept-Encoding` accepts gzip.
  static func isAccepted(by field: String?) -> Bool {
    guard let field else { return false }
    var (gzip, others): (Double?, Double?)
    for entry in field.utf8.split(separator: UInt8(ascii: ",")) {
      let parts = entry.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        .map { String(Substring($0)).trimmingBlanks.lowercased() }
      guard parts[0] == "gzip" || parts[0] == "*" else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
      let number = weight.map { DecimalText.number(String($0)) ?? 0 } ?? 1
      if parts[0] == "gzip" { gzip = number } else { others = number }
    }
    // * stands for codings that are not named
    return (gzip ?? others ?? 0) > 0
  }

  /// Decompresses gzip; nil if it is damaged, truncated, or longer than a limit.
  @Sendable
  static func unpacked(_ bytes: [UInt8], _ limit: Int) -> [UInt8]? {
    guard var source = try? GzipBytes(start: bytes, then: MemoryBytes([])) else { return nil }
    var output: [UInt8] = []
    // piece by piece, because a few bytes may decompress to gigabytes
    while output.count <= limit, let piece = try? source.readChunk(1 << 16) {
      if piece.isEmpty { return output }
      output += piece
    }
    return nil
  }

  /// The bytes compressed with gzip (RFC 1952), fast at level 1, small at 9; nil if zlib has no memory.
  static func compressed(_ bytes: [UInt8], level: Int32 = Z_BEST_SPEED) -> [UInt8]? {
    GzipStream(level: level)?.compress(bytes, isEnd: true)
  }
}

/// Compresses a stream of bytes (RFC 1952, or RFC 1950 for pictures), in constant memory.
package final class GzipStream {
  private var stream = z_stream()

  /// Whether a file's extension is that of gzip.
  package static func isNamed(by fileName: String) -> Bool {
    fileName.lowercased().hasSuffix(".gz")
  }

  /// Starts a file; nil if zlib has no memory.
  ///
  /// - Parameters:
  ///   - isZlib: Whether it has the short header of zlib, which pictures need.
  ///   - level: 1 for fast, 9 for small.
  package init?(isZlib: Bool = false, level: Int32 = 6) {
    let status = deflateInit2_(
      &stream,
      level,
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
  package func compress(_ bytes: [UInt8], isEnd: Bool = false) -> [UInt8] {
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
  package func compressWhole(_ bytes: [UInt8]) -> [UInt8] {
    defer { deflateReset(&stream) }
    return compress(bytes, isEnd: true)
  }

  /// The CRC-32 of some bytes.
  package static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(crc32(0, bytes, UInt32(bytes.count)))
  }
}

import CZlib
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

  /// Decompresses one gzip member; nil if it is damaged, truncated, or longer than a limit.
  @Sendable
  static func unpacked(_ bytes: [UInt8], _ limit: Int) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var output: [UInt8] = []
    var code = Z_OK
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      // piece by piece, because a few bytes may decompress to gigabytes
      while code == Z_OK, output.count <= limit {
        let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { space, filled in
          stream.next_out = space.baseAddress
          stream.avail_out = UInt32(space.count)
          code = inflate(&stream, Z_NO_FLUSH)
          filled = space.count - Int(stream.avail_out)
        }
        output += piece
      }
    }
    return code == Z_STREAM_END && output.count <= limit ? output : nil
  }

  /// The bytes compressed with gzip (RFC 1952), fast at level 1, small at 9; nil if zlib fails.
  static func compressed(_ bytes: [UInt8], level: Int32 = Z_BEST_SPEED) -> [UInt8]? {
    var stream = z_stream()
    // a window of 15 bits; 16 more asks for a gzip header
    let status = deflateInit2_(
      &stream,
      level,
      Z_DEFLATED,
      15 + 16,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    guard status == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let bound = Int(deflateBound(&stream, UInt(bytes.count)))
    var input = bytes
    let output = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(bound)
        count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
      }
    }
    return output.isEmpty ? nil : output
  }
}

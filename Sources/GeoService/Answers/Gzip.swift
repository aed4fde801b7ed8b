import CZlib

/// Compression for clients that take it.
enum Gzip {
  /// Whether an `Accept-Encoding` takes gzip.
  static func isAccepted(by field: String?) -> Bool {
    guard let field else { return false }
    var weights: [String: Double] = [:]
    for entry in field.split(separator: ",") {
      let parts = entry.split(separator: ";").map { trimmed($0).lowercased() }
      guard let coding = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
      weights[coding] = weight.map { DecimalText.number(String($0)) ?? 0 } ?? 1
    }
    // * stands for those that are not named
    return (weights["gzip"] ?? weights["*"] ?? 0) > 0
  }

  /// The bytes compressed (RFC 1952), fast rather than small; nil where zlib refuses.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, and 16 for a gzip header
    let status = deflateInit2_(
      &stream,
      Z_BEST_SPEED,
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

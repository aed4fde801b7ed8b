/// A PNG with a palette (ISO/IEC 15948): 8 bits per pixel, no filter, one IDAT.
enum PNGFile {
  /// The bytes of a picture.
  ///
  /// - Parameters:
  ///   - pixels: The number of each pixel's color, row by row.
  ///   - width: The width in pixels.
  ///   - palette: Red, green and blue of at most 256 colors.
  /// - Returns: The file; nil if zlib has no memory.
  static func bytes(_ pixels: [UInt8], width: Int, palette: [[UInt8]]) -> [UInt8]? {
    let height = pixels.count / width
    var lines: [UInt8] = []
    lines.reserveCapacity(pixels.count + height)
    for row in 0..<height {
      lines.append(0)
      lines += pixels[row * width..<(row + 1) * width]
    }
    guard let packed = GzipStream.compressed(lines, isZlib: true) else { return nil }
    // 8 bits, palette; deflate, adaptive filters, not interlaced
    let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 3, 0, 0, 0]
    return [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("PLTE", palette.flatMap { $0 })
      + chunk("IDAT", packed) + chunk("IEND", [])
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(GzipStream.checksum(body))
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

/// A format of images, recognized by its first bytes, not by its name.
package enum ImageFormat: String, Sendable, CaseIterable {
  case png
  case jpeg
  case gif
  case webp
  /// A text format that can contain scripts: accepted from the operator's own folder only.
  case svg

  var mediaType: String { "image/\(rawValue)\(self == .svg ? "+xml" : "")" }

  /// The extensions of file names, in lower case.
  var endings: [String] { self == .jpeg ? ["jpg", "jpeg"] : [rawValue] }

  /// The format of the bytes; nil if it is none of these.
  init?(of bytes: [UInt8]) {
    func begins(_ start: [UInt8], at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: start)
    }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
      self = .gif
    } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
      self = .webp
    } else if Self.isDrawing(bytes) {
      self = .svg
    } else {
      return nil
    }
  }

  /// Whether the first element of an XML text is `svg`.
  private static func isDrawing(_ bytes: [UInt8]) -> Bool {
    var rest = bytes.prefix(1_024)
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    // a declaration and comments may precede it
    while rest.starts(with: "<?".utf8) || rest.starts(with: "<!--".utf8) {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }
    return rest.starts(with: "<svg".utf8)
  }
}

/// What an image's header says: its format and size.
///
/// A small file can contain a picture that takes gigabytes when decompressed. Its header shows
/// that, and nothing is decompressed here.
package struct ImageHeader: Hashable, Sendable {
  /// The format.
  package let format: ImageFormat

  /// The width in pixels; 0 for a drawing, which has none.
  package let width: Int

  /// The height in pixels; 0 for a drawing.
  package let height: Int

  /// The header of an image; nil if the bytes are not an image, or end before its size.
  package init?(of bytes: [UInt8]) {
    guard let format = ImageFormat(of: bytes) else { return nil }
    let reader = ImageBytes(bytes: bytes)
    let size =
      switch format {
      case .png: reader.sizeOfPNG
      case .jpeg: reader.sizeOfJPEG
      case .gif: reader.sizeOfGIF
      case .webp: reader.sizeOfWebP
      case .svg: (0, 0)
      }
    guard let size else { return nil }
    self.format = format
    (width, height) = size
  }

  /// Whether browsers may receive it: not empty, and not larger than `ImageLimits` allows.
  package var isFit: Bool {
    if format == .svg { return true }
    let sides = 1...ImageLimits.side
    return sides.contains(width) && sides.contains(height) && width * height <= ImageLimits.pixels
  }
}

/// Reads numbers at offsets; nil after the end.
private struct ImageBytes {
  let bytes: [UInt8]

  typealias Size = (Int, Int)

  /// PNG, section 11.2.2: the first chunk is IHDR.
  var sizeOfPNG: Size? {
    guard big(4, at: 8) == 13, has("IHDR", at: 12), let width = big(4, at: 16),
      let height = big(4, at: 20)
    else { return nil }
    return (width, height)
  }

  /// GIF89a, section 18: the logical screen.
  var sizeOfGIF: Size? {
    guard let width = little(2, at: 6), let height = little(2, at: 8) else { return nil }
    return (width, height)
  }

  /// ITU T.81, section B.2.2: the first frame header.
  var sizeOfJPEG: Size? {
    var offset = 2
    while let start = big(1, at: offset), let marker = big(1, at: offset + 1) {
      guard start == 0xFF else { return nil }
      switch marker {
      // fill bytes
      case 0xFF: offset += 1
      // markers without a segment
      case 0x01, 0xD0...0xD8: offset += 2
      // the image data or its end, before any frame header
      case 0xD9, 0xDA: return nil
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        guard let height = big(2, at: offset + 5), let width = big(2, at: offset + 7) else {
          return nil
        }
        return (width, height)
      default:
        guard let length = big(2, at: offset + 2), length >= 2 else { return nil }
        offset += 2 + length
      }
    }
    return nil
  }

  /// RFC 9649: the first chunk is the image or contains the size of the canvas.
  var sizeOfWebP: Size? {
    if has("VP8X", at: 12), let width = little(3, at: 24), let height = little(3, at: 27) {
      return (width + 1, height + 1)
    }
    if has("VP8L", at: 12), big(1, at: 20) == 0x2F, let bits = little(4, at: 21) {
      return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }
    if has("VP8 ", at: 12), big(3, at: 23) == 0x9D_012A, let width = little(2, at: 26),
      let height = little(2, at: 28)
    {
      return (width & 0x3FFF, height & 0x3FFF)
    }
    return nil
  }

  private func has(_ name: String, at offset: Int) -> Bool {
    bytes.dropFirst(offset).starts(with: name.utf8)
  }

  private func big(_ count: Int, at offset: Int) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  private func little(_ count: Int, at offset: Int) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    return bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

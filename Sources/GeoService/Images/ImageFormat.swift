/// A format of images, recognized by its first bytes, not by its name.
package enum ImageFormat: Sendable, CaseIterable {
  case png
  case jpeg
  case gif
  case webp
  /// A text format that can contain scripts: accepted from the operator's own folder only.
  case svg

  /// The media type.
  var mediaType: String {
    switch self {
    case .png: "image/png"
    case .jpeg: "image/jpeg"
    case .gif: "image/gif"
    case .webp: "image/webp"
    case .svg: "image/svg+xml"
    }
  }

  /// The extensions of file names, in lower case.
  var endings: [String] {
    switch self {
    case .png: ["png"]
    case .jpeg: ["jpg", "jpeg"]
    case .gif: ["gif"]
    case .webp: ["webp"]
    case .svg: ["svg"]
    }
  }

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

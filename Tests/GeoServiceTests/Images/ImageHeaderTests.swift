import Testing

@testable import GeoService

/// What the header of an image says, and which images are rejected because of it.
struct ImageHeaderTests {
  private static let sizes = [(1, 1), (640, 480), (1, 8_192), (8_192, 1), (4_000, 3_000)]

  private func made(_ format: ImageFormat, _ width: Int, _ height: Int) -> [[UInt8]] {
    switch format {
    case .png: [SampleImages.png(width, height)]
    case .gif: [SampleImages.gif(width, height)]
    case .jpeg:
      [0xC0, 0xC1, 0xC2, 0xC9, 0xCF].map { SampleImages.jpeg(width, height, marker: $0) }
    case .webp: ["VP8 ", "VP8L", "VP8X"].map { SampleImages.webp($0, width, height) }
    case .svg: []
    }
  }

  @Test(arguments: ImageFormat.allCases)
  func `a size is read as the header has it, and no byte less is enough`(format: ImageFormat) {
    for (width, height) in Self.sizes {
      for bytes in made(format, width, height) {
        let header = ImageHeader(of: bytes)
        #expect(header?.format == format)
        #expect(header?.width == width && header?.height == height)
        #expect(header?.isFit == true)
        for length in 0..<bytes.count {
          let part = ImageHeader(of: Array(bytes.prefix(length)))
          #expect(part == nil || part == header, "\(format) \(length)")
        }
      }
    }
  }

  @Test func `what unpacks to more than the limit is refused by its header`() {
    let bombs =
      [(8_193, 1), (1, 8_193), (8_000, 8_000), (65_535, 65_535)].flatMap { width, height in
        made(.png, width, height) + made(.gif, width, height) + made(.jpeg, width, height)
      } + made(.png, 0x7FFF_FFFF, 0x7FFF_FFFF) + made(.png, 0xFFFF_FFFF, 1)
      + [SampleImages.webp("VP8X", 1 << 24, 1 << 24), SampleImages.webp("VP8L", 16_384, 16_384)]
    for bytes in bombs {
      #expect(ImageHeader(of: bytes)?.isFit == false)
      #expect(ServedImage(bytes, isOwn: true) == nil)
    }
    for bytes in [SampleImages.png(0, 5), SampleImages.png(5, 0), SampleImages.jpeg(9, 0)] {
      #expect(ImageHeader(of: bytes)?.isFit == false)
    }
  }

  @Test func `a file is what its bytes say, and a drawing only from the own folder`() {
    let page = Array("<!DOCTYPE html><script>alert(1)</script>".utf8)
    let others = [[], page, Array("{}".utf8), Array("BM\u{0}\u{0}".utf8), Array("%PDF-1.7".utf8)]
    for bytes in others { #expect(ImageHeader(of: bytes) == nil) }
    for text in ["<svg/>", "\u{FEFF} <?xml version=\"1.0\"?>\n<!-- a -->\n<svg xmlns=\"x\">"] {
      let drawing = Array(text.utf8)
      #expect(ImageHeader(of: drawing)?.format == .svg)
      #expect(ServedImage(drawing, isOwn: true) != nil)
      #expect(ServedImage(drawing, isOwn: false) == nil)
    }
    #expect(ServedImage(SampleImages.png(padding: ImageLimits.bytes), isOwn: true) == nil)
  }

  @Test func `made-up bytes never trap`() {
    var random = SplitMix(state: 7)
    let starts = ImageFormat.allCases.flatMap { made($0, 300, 200) }
    for round in 0..<3_000 {
      var bytes = starts[round % starts.count]
      for _ in 0...Int(random.unit() * 6) {
        bytes[Int(random.unit() * Double(bytes.count))] = UInt8(random.unit() * 255)
      }
      _ = ImageHeader(of: bytes)?.isFit
    }
  }
}

import GeoQuery

/// A file that pages load, built into the program; its address has a hash of its contents.
struct PageAsset: Sendable {
  /// The contents as stored, which may be compressed with gzip.
  let bytes: [UInt8]

  /// Whether the stored contents are compressed.
  let isCompressed: Bool

  /// A hash of the contents.
  let tag: String

  /// Makes an asset of its stored bytes.
  init(_ bytes: [UInt8], isCompressed: Bool = false) {
    self.bytes = bytes
    self.isCompressed = isCompressed
    tag = String(SHA256.hexDigest(of: bytes).prefix(12))
  }

  private init(text parts: String...) { self.init(Array(parts.joined().utf8)) }

  /// The stylesheet.
  static let style = PageAsset(
    text: PageStyle.text,
    PageStyle.pictures,
    PageStyle.documents,
    PageStyle.map,
    PageStyle.plan
  )

  /// The script.
  static let script = PageAsset(text: PageScript.whole)
}

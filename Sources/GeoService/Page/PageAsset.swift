import GeoQuery

/// A file that pages load: in the program, with a name for its contents.
struct PageAsset: Sendable {
  /// The contents.
  let bytes: [UInt8]

  /// Changes with the contents.
  let tag: String

  private init(_ text: String) {
    bytes = Array(text.utf8)
    tag = String(SHA256.hexDigest(of: bytes).prefix(12))
  }

  /// The stylesheet.
  static let style = PageAsset(PageStyle.text)

  /// The script.
  static let script = PageAsset(PageScript.text + PageScript.keeping)
}

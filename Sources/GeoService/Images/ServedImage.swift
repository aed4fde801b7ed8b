/// An image that has been checked, ready to be sent.
struct ServedImage: Sendable {
  /// The file.
  let bytes: [UInt8]

  /// Its format and size.
  let header: ImageHeader

  /// Checks an image; nil if the bytes are not an image that browsers may receive.
  ///
  /// - Parameters:
  ///   - bytes: A whole file.
  ///   - isOwn: Whether it is from the operator's folder, which may contain drawings.
  init?(_ bytes: [UInt8], isOwn: Bool) {
    guard bytes.count <= ImageLimits.bytes, let header = ImageHeader(of: bytes), header.isFit,
      isOwn || header.format != .svg
    else { return nil }
    self.bytes = bytes
    self.header = header
  }

  /// A strong validator: it changes with the bytes.
  var tag: String {
    var hash = StableHash()
    hash.add(bytes)
    return "\"\(bytes.count)-\(hash.text)\""
  }

  /// Whether an `If-None-Match` contains the tag.
  func isNamed(in field: String?) -> Bool {
    field?.split(separator: ",").contains { entry in
      let entry = trimmed(entry)
      return entry == "*" || (entry.hasPrefix("W/") ? String(entry.dropFirst(2)) : entry) == tag
    } ?? false
  }
}

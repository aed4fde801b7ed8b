import GeoQuery

/// Orders as `sortby` writes them: `name`, `-rating`.
extension Order {
  /// The order of a text; nil if it is none.
  init?(sortBy text: String) {
    // a key is ASCII, so anything longer or else is none before it is compared
    guard text.utf8.count <= 20, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let isDescending = text.hasPrefix("-")
    guard let key = Key(rawValue: isDescending ? String(text.dropFirst()) : text) else {
      return nil
    }
    self.init(by: key, descending: isDescending)
  }

  /// The order as a text.
  var sortBy: String { (isDescending ? "-" : "") + key.rawValue }
}

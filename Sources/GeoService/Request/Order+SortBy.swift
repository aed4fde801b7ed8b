import GeoQuery

/// Orders as values of `sortby`: `name`, `-rating`.
extension Order {
  /// Parses an order; nil if the text is not one.
  init?(sortBy text: String) {
    // keys are ASCII and short: other texts are rejected before they are compared
    guard text.utf8.count <= 20, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let isDescending = text.hasPrefix("-")
    guard let key = Key(rawValue: isDescending ? String(text.dropFirst()) : text) else {
      return nil
    }
    self.init(by: key, descending: isDescending)
  }

  /// The order as a value of `sortby`.
  var sortBy: String { (isDescending ? "-" : "") + key.rawValue }
}

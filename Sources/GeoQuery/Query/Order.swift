/// The order of an answer: by a key, then by id (UTF-8 bytes); restaurants without the key come last.
public struct Order: Sendable, Hashable {
  /// The keys of orders.
  public enum Key: String, Sendable, CaseIterable {
    /// The distance from the query's center.
    case distance
    /// The name, ignoring case and accents, by the first 256 bytes of its folded UTF-8.
    case name
    /// The rating divided by its scale, which is 5 if the feed gives none.
    case rating
    /// The price level, 1 to 4.
    case priceLevel
    /// The number of ratings.
    case reviewCount
    /// The category, compared as the name is.
    case category
    /// The city, compared as the name is.
    case city
    /// The chain, compared as the name is.
    case chain

    /// Whether its values are texts.
    var isText: Bool { [.name, .category, .city, .chain].contains(self) }
  }

  /// The key to sort by.
  public var key: Key

  /// Whether the largest comes first; equal ones are still in ascending order of id.
  public var isDescending: Bool

  /// Makes an order.
  public init(by key: Key, descending isDescending: Bool = false) {
    self.key = key
    self.isDescending = isDescending
  }
}

/// A restaurant's value for an order's key.
enum OrderValue: Hashable, Sendable {
  case number(Double)
  case text([UInt8])

  /// A restaurant's value; nil if it has none.
  init?(_ order: Order, of match: Match) {
    switch order.key {
    case .distance:
      guard let distance = match.distance else { return nil }
      self = .number(distance)
    case .name:
      self = Self.folding(match.restaurant.name)
    case .category, .city, .chain:
      guard let text = RestaurantField(rawValue: order.key.rawValue).flatMap(match.restaurant.text)
      else { return nil }
      self = Self.folding(text)
    case .rating:
      guard let share = match.restaurant.ratingShare else { return nil }
      self = .number(share)
    case .priceLevel:
      guard let level = match.restaurant.priceLevel else { return nil }
      self = .number(Double(level))
    case .reviewCount:
      guard let count = match.restaurant.reviewCount else { return nil }
      self = .number(Double(count))
    }
  }

  /// The part of a text that is compared.
  private static func folding(_ text: String) -> OrderValue {
    let bytes = Array(folded(text).utf8)
    return .text(bytes.withUnsafeBytes { Array(NameOrder.key(of: $0)) })
  }
}

extension Double {
  /// A number that sorts like this one, with -0.0 as 0.0 and NaN after all others.
  @inline(__always)
  var orderedBits: UInt64 {
    if isNaN { return .max }
    let bits = (self + 0).bitPattern
    return bits & (1 << 63) == 0 ? bits | 1 << 63 : ~bits
  }
}

extension Snapshot {
  /// Whether some restaurant has a value for an order's key.
  ///
  /// - Complexity: O(1) if the first restaurants have one, O(n) if none has: callers cache the
  ///   result.
  package func hasValues(of key: Order.Key) -> Bool {
    let field: Condition.Field
    switch key {
    case .name, .distance: return count > 0
    case .category: return columns.codes[.category].map { $0.texts.count > 0 } ?? false
    case .city: return columns.codes[.city].map { $0.texts.count > 0 } ?? false
    case .chain: return columns.codes[.chain].map { $0.texts.count > 0 } ?? false
    case .rating: field = .rating
    case .reviewCount: field = .reviewCount
    case .priceLevel: field = .priceLevel
    }
    guard let column = columns.numbers[field] else { return false }
    return column.whileMapped { (0..<count).contains { !column[$0].isNaN } }
  }
}

/// The order of an answer: by a key, then by id (UTF-8 bytes); what lacks the key comes last.
public struct Order: Sendable, Hashable {
  /// What an answer is ordered by.
  public enum Key: String, Sendable, CaseIterable {
    /// Metres from the query's centre.
    case distance
    /// The name, without regard to case and accents, by its folded UTF-8 bytes.
    case name
    /// The rating as a share of its scale; of 5 where the feed names no scale.
    case rating
    /// The price level, 1 to 4.
    case price
  }

  /// What the answer is ordered by.
  public var key: Key

  /// Whether the largest comes first; ids of equal keys ascend all the same.
  public var isDescending: Bool

  /// Makes an order.
  public init(by key: Key, descending isDescending: Bool = false) {
    self.key = key
    self.isDescending = isDescending
  }

  /// Sorts positions by their keys: nil last, ties by position.
  ///
  /// - Returns: The indices into `positions`, in order.
  /// - Complexity: O(n log n).
  func sorted<Value: Comparable>(_ positions: [Int], by keys: [Value?]) -> [Int] {
    positions.indices.sorted { one, other in
      switch (keys[one], keys[other]) {
      case (nil, nil): positions[one] < positions[other]
      case (nil, _): false
      case (_, nil): true
      case (let left?, let right?):
        if left == right {
          positions[one] < positions[other]
        } else {
          isDescending ? left > right : left < right
        }
      }
    }
  }
}

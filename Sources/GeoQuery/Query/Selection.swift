/// A restaurant's key and position, by which it is sorted.
struct OrderEntry: Comparable {
  /// Sorts like the order's values; `.max` if there is no value.
  let key: UInt64

  /// The position, which is in order of id.
  let position: UInt32

  static func < (left: OrderEntry, right: OrderEntry) -> Bool {
    left.key != right.key ? left.key < right.key : left.position < right.position
  }
}

/// Keeps the smallest `capacity` entries of a stream, in memory for twice that number.
struct Selection {
  private var entries: [OrderEntry] = []
  private let capacity: Int
  private var greatest: OrderEntry?

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Adds an entry if it is among the smallest.
  @inline(__always)
  mutating func add(_ entry: OrderEntry) {
    if let greatest, greatest < entry { return }
    entries.append(entry)
    // the sort is amortized over the entries added since the last one
    if entries.count / 2 > capacity { prune() }
  }

  /// The least entries, in order.
  mutating func take() -> [OrderEntry] {
    prune()
    return entries
  }

  private mutating func prune() {
    entries.sort()
    guard entries.count > capacity else { return }
    entries.removeLast(entries.count - capacity)
    greatest = entries.last
  }
}

/// Positions in an order, of which a page takes a few: the restaurants by (key, position).
struct OrderEntry: Comparable {
  /// Compares as the order's values do; `.max` for none.
  let key: UInt64

  /// The position, which is by id.
  let position: UInt32

  static func < (left: OrderEntry, right: OrderEntry) -> Bool {
    left.key != right.key ? left.key < right.key : left.position < right.position
  }
}

/// Keeps the smallest `capacity` entries of a stream, in memory for twice as many.
struct Selection {
  private var entries: [OrderEntry] = []
  private let capacity: Int
  private var greatest: OrderEntry?

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Takes an entry into account.
  @inline(__always)
  mutating func add(_ entry: OrderEntry) {
    if let greatest, greatest < entry { return }
    entries.append(entry)
    // each sort is paid for by as many entries as are kept
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

/// All positions of a generation by a sort key, ties by id; those without a value come last.
struct SortedOrder: Sendable {
  /// The positions in order.
  let positions: [UInt32]

  /// The key.
  let key: SortKey

  init(_ key: SortKey, of data: some ServedData) {
    self.key = key
    let values = (0..<data.count).map { data.sortValue(key.field, at: $0) }
    positions = (0..<UInt32(data.count)).sorted { left, right in
      Self.precedes(
        (values[Int(left)], Int(left)),
        (values[Int(right)], Int(right)),
        isDescending: key.isDescending
      )
    }
  }

  /// Where a page begins that follows a restaurant with this value and this place among the ids.
  ///
  /// - Parameters:
  ///   - value: The restaurant's value under the key; nil where it has none.
  ///   - position: The first position that comes after its id.
  ///   - data: The generation's data.
  /// - Returns: An offset into `positions`; their count where nothing follows.
  func start(after value: SortValue?, _ position: Int, in data: some ServedData) -> Int {
    var low = 0
    var high = positions.count
    while low < high {
      let middle = (low + high) / 2
      let candidate = Int(positions[middle])
      let isBefore = Self.precedes(
        (data.sortValue(key.field, at: candidate), candidate),
        (value, position),
        isDescending: key.isDescending
      )
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func precedes(
    _ left: (value: SortValue?, position: Int),
    _ right: (value: SortValue?, position: Int),
    isDescending: Bool
  ) -> Bool {
    switch (left.value, right.value) {
    case (let first?, let second?) where first != second:
      isDescending ? first > second : first < second
    case (_?, nil): true
    case (nil, _?): false
    default: left.position < right.position
    }
  }
}

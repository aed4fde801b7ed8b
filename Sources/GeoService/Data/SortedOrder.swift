/// All positions of a generation by a sort key, ties by id; those without a value come last.
struct SortedOrder: Sendable {
  /// The positions in order.
  let positions: [UInt32]

  /// The key.
  let key: SortKey

  init(_ key: SortKey, of data: some ServedData) {
    self.key = key
    positions =
      key.field == .name
      ? Self.byName(data, isDescending: key.isDescending)
      : Self.byNumber(key, data)
  }

  /// Names are compared by their first eight bytes, and in the mapped file where those are equal.
  private static func byName(_ data: some ServedData, isDescending: Bool) -> [UInt32] {
    var keys = (0..<data.count).map { (prefix: data.namePrefix(at: $0), position: UInt32($0)) }
    keys.sort { left, right in
      if left.prefix != right.prefix { return (left.prefix < right.prefix) != isDescending }
      let (first, second) = (Int(left.position), Int(right.position))
      if data.isName(at: first, before: second) { return !isDescending }
      if data.isName(at: second, before: first) { return isDescending }
      return first < second
    }
    return keys.map(\.position)
  }

  private static func byNumber(_ key: SortKey, _ data: some ServedData) -> [UInt32] {
    let numbers = (0..<data.count).map { position in
      let number = data.number(key.field, at: position)
      // the least comes first, and nothing known after all numbers
      return number.isNaN ? .infinity : key.isDescending ? -number : number
    }
    return (0..<UInt32(data.count)).sorted { left, right in
      let (first, second) = (numbers[Int(left)], numbers[Int(right)])
      return first != second ? first < second : left < right
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

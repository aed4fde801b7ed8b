import GeoQuery

/// Remembers the meanings of names, because most records have the same names in the same order.
final class NameMemo {
  private var entries: [(name: String, meanings: [ColumnAliases.Meaning])] = []
  private static let maximumCount = 128
  private static let maximumStep = 16

  /// The meanings of a name.
  ///
  /// - Parameters:
  ///   - name: The name of a member.
  ///   - place: Where to look for the names that follow; 0 at the start of a record.
  ///   - find: Finds the meanings of a name that is not remembered.
  /// - Returns: The meanings, the user's first.
  func meanings(
    of name: String,
    from place: inout Int,
    else find: (String) -> [ColumnAliases.Meaning]
  ) -> [ColumnAliases.Meaning] {
    let key = UTF8Key(name)
    var next = place
    while next < entries.count, next < place + Self.maximumStep {
      if UTF8Key(entries[next].name) == key {
        place = next + 1
        return entries[next].meanings
      }
      next += 1
    }
    let meanings = find(name)
    if entries.count < Self.maximumCount, name.utf8.count <= 64 {
      entries.insert((name, meanings), at: place)
      place += 1
    }
    return meanings
  }
}

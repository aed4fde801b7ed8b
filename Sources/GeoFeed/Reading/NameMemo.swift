import GeoQuery

/// The meanings of the names of the records before: most records have the same in the same order.
final class NameMemo {
  private var entries: [(name: String, meanings: [MemberAliases.Meaning])] = []
  private static let maximumCount = 128
  private static let maximumStep = 16

  /// The meanings of a name.
  ///
  /// - Parameters:
  ///   - name: The name of a member.
  ///   - place: Where the names that follow are looked for; 0 at the start of a record.
  ///   - find: Finds the meanings of a name that was not met here.
  /// - Returns: The meanings, the user's first.
  func meanings(
    of name: String,
    from place: inout Int,
    else find: (String) -> [MemberAliases.Meaning]
  ) -> [MemberAliases.Meaning] {
    let key = ByteKey(name)
    var next = place
    while next < entries.count, next < place + Self.maximumStep {
      if ByteKey(entries[next].name) == key {
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

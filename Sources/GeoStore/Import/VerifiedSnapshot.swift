import GeoQuery

/// The snapshot before an import, checked on a separate thread while the feed is read.
struct VerifiedSnapshot {
  private let result = BoundedQueue<Snapshot>(capacity: 1)

  /// Starts the check.
  ///
  /// - Parameters:
  ///   - file: The database.
  ///   - state: The state that the snapshot must be of.
  init(_ file: StoreFile, _ state: StoreState) {
    result.fill { result in
      let snapshot = try SnapshotFiles(database: file.resolvedPath).open(state)
      try snapshot.verify()
      _ = result.put(snapshot)
    }
  }

  /// The snapshot; nil if it is missing, unusable or damaged.
  ///
  /// Waits for the end of the check, and may be asked once.
  func sound() -> Snapshot? { (try? result.take()) ?? nil }
}

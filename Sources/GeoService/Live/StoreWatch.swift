import GeoIndex
import GeoQuery
import GeoStore

/// Finds imports by other processes, and serves them.
///
/// The connection to the store stays open between checks, so that a check reads one row.
struct StoreWatch: Sendable {
  private let kept: KeptStore
  private let live: LiveData

  init(_ place: StorePlace, live: LiveData) {
    kept = KeptStore(place)
    self.live = live
  }

  /// Checks the store once, and serves a new generation if there is one.
  ///
  /// - Parameter notice: Receives, in a sentence, why the snapshot had to be rebuilt.
  /// - Returns: The new generation; nil if nothing has changed.
  /// - Throws: The reason why the next generation cannot be served; the old one stays.
  func look(notice: (String) -> Void = { _ in }) throws -> Int? {
    do {
      return try kept.use { try look(at: $0, notice) }
    } catch {
      live.keep(because: Self.word(for: error))
      throw error
    }
  }

  private func look(at store: any Store, _ notice: (String) -> Void) throws -> Int? {
    guard try store.mayHaveChanged() else { return nil }
    let served = live.current
    let state = try store.state()
    guard state.generation == served.number, state.edition == served.edition else {
      live.fallBehind()
      let next = try store.snapshot(notice: notice)
      live.replace(with: next, try ServedExtras(of: store, knowing: served.areas))
      return next.generation
    }
    live.confirm()
    if try store.offersRevision() == served.extras.book?.revision,
      try store.areas() == served.areas.map(\.saved)
    {
      return nil
    }
    live.replace(with: try ServedExtras(of: store, knowing: served.areas))
    return served.number
  }

  /// Reads every checksum of the snapshot that is being served, and rebuilds it if it is damaged.
  ///
  /// - Parameter notice: Receives, in a sentence, what is wrong with the snapshot.
  /// - Returns: Whether the snapshot has been replaced.
  /// - Throws: The reason why it cannot be rebuilt; the damaged one stays.
  /// - Complexity: O(n).
  func check(notice: (String) -> Void) throws -> Bool {
    let served = live.current
    do throws(SnapshotError) {
      try served.snapshot.verify()
      return false
    } catch {
      notice("\(error)")
    }
    // a separate connection, because another thread uses the first
    let store = try kept.place.open()
    defer { try? store.close() }
    try store.repairSnapshot(notice: notice)
    let repaired = try store.snapshot(notice: notice)
    // a newer one may have been served meanwhile
    if live.current === served { live.replace(with: repaired) }
    return true
  }

  func close() { kept.close() }

  /// The failure as a word that clients may see.
  private static func word(for error: any Error) -> String {
    guard let error = error as? StoreError else { return "the data could not be opened" }
    return switch error.kind {
    case .unavailable, .permission, .inputOutput: "the store cannot be read"
    case .foreign, .newer, .corrupt, .shrinks, .replaces, .duplicates, .moves, .empties,
      .source, .correction, .area:
      "the store is not usable"
    case .busy: "the store is busy"
    }
  }
}

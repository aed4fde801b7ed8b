import GeoIndex
import GeoQuery
import GeoStore
import NIOConcurrencyHelpers

/// Notices what other processes import, and has it served.
///
/// A store's connection stays open between two looks, so that a look costs one row.
final class StoreWatch: Sendable {
  private struct Connection {
    let store: RestaurantStore
    let file: FileIdentity?
  }

  private let path: String
  private let live: LiveData
  private let open = NIOLockedValueBox<Connection?>(nil)

  init(path: String, live: LiveData) {
    self.path = path
    self.live = live
  }

  /// Looks once, and serves another generation if there is one.
  ///
  /// - Parameter notice: Receives, in a sentence, why a snapshot had to be made again.
  /// - Returns: The generation that is being served now; nil if nothing has changed.
  /// - Throws: What kept the next generation from being served; the old one stays.
  func look(notice: (String) -> Void = { _ in }) throws -> Int? {
    do {
      let store = try connection()
      let served = live.current
      let edition = try store.edition()
      if edition.generation == served.number, edition.number == served.edition {
        live.keep(because: nil)
        if try store.offersRevision() == served.book.revision { return nil }
        live.replace(with: try store.offerBook())
        return served.number
      }
      let next = try store.snapshot(notice: notice)
      live.replace(with: next, try store.offerBook())
      return next.generation
    } catch {
      close()
      live.keep(because: Self.word(for: error))
      throw error
    }
  }

  /// Reads every checksum of the snapshot that is being served, and has it made again if it is damaged.
  ///
  /// - Parameter notice: Receives, in a sentence, what is wrong with the snapshot.
  /// - Returns: Whether the snapshot has been replaced.
  /// - Throws: What kept it from being made again; the damaged one stays.
  /// - Complexity: O(n).
  func check(notice: (String) -> Void) throws -> Bool {
    let served = live.current
    do throws(SnapshotError) {
      try served.snapshot.verify()
      return false
    } catch {
      notice("\(error)")
    }
    // a connection of its own: another thread looks with the other one
    let store = try RestaurantStore(path: path)
    defer { try? store.close() }
    try store.repairSnapshot(notice: notice)
    let repaired = try store.snapshot(notice: notice)
    // a look may have found a newer one meanwhile
    if live.current === served { live.replace(with: repaired, served.book) }
    return true
  }

  /// Gives the file back.
  func close() {
    let connection = open.withLockedValue { open in
      defer { open = nil }
      return open
    }
    try? connection?.store.close()
  }

  /// The open connection, or a new one if the file has been replaced by another.
  private func connection() throws -> RestaurantStore {
    let found = FileIdentity(path)
    if let known = open.withLockedValue({ $0 }), known.file == found { return known.store }
    close()
    let store = try RestaurantStore(path: path)
    open.withLockedValue { $0 = Connection(store: store, file: found) }
    return store
  }

  /// What clients may know of a failure.
  private static func word(for error: any Error) -> String {
    guard let error = error as? StoreError else { return "the data could not be opened" }
    return switch error.kind {
    case .unavailable, .permission, .inputOutput: "the store cannot be read"
    case .foreign, .newer, .corrupt, .shrinks, .replaces, .duplicates, .source:
      "the store is not usable"
    case .busy: "the store is busy"
    }
  }
}

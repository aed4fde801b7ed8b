import GeoQuery
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

  /// Looks once; takes as long as reading a store where another generation is found.
  ///
  /// - Returns: Whether another generation is being served now; nil where nothing has changed.
  /// - Throws: What kept the next generation from being taken up; the old one stays.
  func look() throws -> Int? {
    do {
      let store = try connection()
      let served = live.current.data
      let edition = try store.edition()
      if edition.generation == served.generation, edition.storeID == served.storeID {
        live.keep(because: nil)
        return nil
      }
      let next = try PreparedData(store)
      live.replace(with: next)
      return next.generation
    } catch {
      close()
      live.keep(because: Self.word(for: error))
      throw error
    }
  }

  /// Gives the file back.
  func close() {
    let connection = open.withLockedValue { open in
      defer { open = nil }
      return open
    }
    try? connection?.store.close()
  }

  /// The open connection, or a new one where the file has been replaced by another.
  private func connection() throws -> RestaurantStore {
    let found = FileIdentity(path)
    if let known = open.withLockedValue({ $0 }), known.file == found { return known.store }
    close()
    let store = try RestaurantStore(path: path)
    open.withLockedValue { $0 = Connection(store: store, file: found) }
    return store
  }

  /// What strangers may know of a failure.
  private static func word(for error: any Error) -> String {
    guard let error = error as? StoreError else { return "the data could not be prepared" }
    return switch error.kind {
    case .unavailable, .permission, .inputOutput: "the store cannot be read"
    case .foreign, .newer, .corrupt, .shrinks: "the store is not usable"
    case .busy: "the store is busy"
    }
  }
}

import GRDB
import GeoFeed
import GeoQuery

/// One import, from reading the feed to writing the snapshot.
struct FeedImport {
  let file: StoreFile
  let request: ImportRequest

  init(file: StoreFile, options: ImportOptions, observer: ImportObserver) {
    self.file = file
    request = ImportRequest(store: file.path, options: options, observer: observer)
  }

  var options: ImportOptions { request.options }
  var observer: ImportObserver { request.observer }

  /// Reads the feed and writes the changes.
  func run(_ entries: some FeedEntries) throws -> ImportReport {
    _ = try file.content()
    let lock = options.isDryRun ? nil : try ImportLock(database: file.path)
    return try withExtendedLifetime(lock) {
      let content = try file.content()
      let entries = try joined(entries, content)
      return switch content {
      case .geoq: try StoreUpdate(self).run(entries)
      case .missing, .empty: try StoreCreation(self).run(entries)
      }
    }
  }

  /// Adds to stores the chains that they name.
  ///
  /// - Throws: `FeedError` if the store has no chains.
  private func joined<Entries: FeedEntries>(
    _ entries: Entries,
    _ content: StoreFile.Content
  ) throws -> Entries {
    try request.joined(entries) {
      guard content == .geoq else { return [] }
      let store = try RestaurantStore(path: file.path)
      defer { try? store.close() }
      return try store.chains()
    }
  }
}

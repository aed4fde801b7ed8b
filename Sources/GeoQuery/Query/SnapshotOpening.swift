import GeoIndex

/// Gets the index of a generation: from its snapshot, or built anew where that cannot be used.
struct SnapshotOpening {
  private let store: RestaurantStore
  private let notice: (String) -> Void

  /// - Parameters:
  ///   - store: The store.
  ///   - notice: Hears why a snapshot is not used, and what is done about it.
  init(store: RestaurantStore, notice: @escaping (String) -> Void) {
    self.store = store
    self.notice = notice
  }

  /// The index of the reader's generation.
  ///
  /// - Parameters:
  ///   - reader: The transaction.
  ///   - rebuilds: False to give up where there is no snapshot: an import may have removed it that a
  ///     new transaction would see.
  /// - Returns: The index, from the snapshot or built anew.
  /// - Throws: `StoreError` where the store cannot be read; `SnapshotProblem` where there is no
  ///   snapshot and none is to be built.
  func index(_ reader: StoreReader, rebuilds: Bool) throws -> StoreIndex {
    let state = try reader.state()
    let files = SnapshotFiles(database: store.path)
    do {
      let snapshot = try files.open(
        generation: state.generation,
        edition: state.edition,
        count: try reader.positionCount()
      )
      return StoreIndex(state: state, tree: snapshot.tree)
    } catch let problem as SnapshotProblem {
      if problem.isMissing, !rebuilds { throw problem }
      return try rebuild(reader, state, because: problem)
    }
  }

  /// Reads the whole snapshot of the reader's generation, and makes it again where it is not sound.
  func verify(_ reader: StoreReader) throws {
    let state = try reader.state()
    let files = SnapshotFiles(database: store.path)
    do {
      try files.open(
        generation: state.generation,
        edition: state.edition,
        count: try reader.positionCount()
      ).verify()
    } catch let problem as SnapshotProblem {
      _ = try rebuild(reader, state, because: problem)
    } catch let error as SnapshotError {
      let problem = SnapshotProblem(path: error.path, reason: error.reason, isMissing: false)
      _ = try rebuild(reader, state, because: problem)
    }
  }

  private func rebuild(
    _ reader: StoreReader,
    _ state: StoreState,
    because problem: SnapshotProblem
  ) throws -> StoreIndex {
    let tree = KDTree(try reader.orderedPoints())
    let files = SnapshotFiles(database: store.path)
    var outcome = "rebuilt"
    do {
      try files.write(tree, generation: state.generation, edition: state.edition)
    } catch {
      outcome = "rebuilt in memory, for it cannot be written"
    }
    notice("\(problem.path): unusable, because \(problem.reason); \(outcome)")
    return StoreIndex(state: state, tree: tree)
  }
}

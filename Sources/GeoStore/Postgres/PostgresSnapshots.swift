import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// The snapshots of a store in PostgreSQL that this machine has: `FOLDER/STORE-ID.17.geoqx`.
struct PostgresSnapshots {
  private let folder: String
  private let files: SnapshotFiles

  /// - Parameters:
  ///   - folder: The folder, which is made with the first snapshot.
  ///   - storeID: The store: several may share the folder.
  init(folder: String, storeID: StoreID) {
    self.folder = folder
    files = SnapshotFiles(database: folder + "/" + storeID.text)
  }

  /// The file of a generation, whether or not it is there.
  func path(of generation: Int) -> String { files.path(of: generation) }

  /// The generations that have files.
  func generations() -> [Int] { files.generations() }

  /// Whether a generation has a file.
  func has(_ generation: Int) -> Bool { access(path(of: generation), F_OK) == 0 }

  /// Opens the snapshot of a state.
  func open(_ state: StoreState) throws(SnapshotProblem) -> Snapshot { try files.open(state) }

  /// The snapshot of the current generation, which is made first if its file is missing or unusable.
  ///
  /// - Throws: `StoreError` and `PostgresFailure` if the tables cannot be read; `SnapshotError` if it
  ///   can be written neither into the folder nor into that for temporary files.
  func current(_ connection: PostgresConnection, _ notice: (String) -> Void) throws -> Snapshot {
    do {
      return try open(try connection.state())
    } catch let problem as SnapshotProblem {
      if !problem.isMissing {
        notice("\(problem.path): unusable, because \(problem.reason); rebuilding")
      }
    }
    return try connection.transaction(.reading) {
      // an import may have been committed meanwhile
      let state = try connection.state()
      if let snapshot = try? open(state) { return snapshot }
      return try make(connection, state, notice)
    }
  }

  /// Verifies the snapshot of the current generation, and rebuilds it if it is damaged or missing.
  func repair(_ connection: PostgresConnection, _ notice: (String) -> Void) throws {
    try connection.transaction(.reading) {
      let state = try connection.state()
      do {
        return try open(state).verify()
      } catch let problem as SnapshotProblem {
        if !problem.isMissing { notice("\(problem.path): \(problem.reason); rebuilding") }
      } catch let error as SnapshotError {
        notice("\(error); rebuilding")
      }
      _ = try make(connection, state, notice)
    }
  }

  private func make(
    _ connection: PostgresConnection,
    _ state: StoreState,
    _ notice: (String) -> Void
  ) throws -> Snapshot {
    // if the folder cannot be made, making the file fails
    try? FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let file = path(of: state.generation)
    let old = try newest(before: state, connection)
    do {
      try PostgresSnapshotMaker(connection).write(state, from: old, to: file)
      files.sweep(keeping: state.generation)
      return try Snapshot(path: file)
    } catch let error as SnapshotError {
      let temporary = FileManager.default.temporaryDirectory.path + "/geoq-\(randomDigits()).geoqx"
      defer { unlink(temporary) }
      try PostgresSnapshotMaker(connection).write(state, from: old, to: temporary)
      notice("\(error); a temporary one is used: \(Remedy.chooseFolder)")
      return try Snapshot(path: temporary)
    }
  }

  /// The newest snapshot of this machine from which a state can be made; nil if there is none.
  ///
  /// A damaged one is not used: the new checksums would hide its damage.
  private func newest(
    before state: StoreState,
    _ connection: PostgresConnection
  ) throws -> Snapshot? {
    for generation in generations().sorted(by: >) where generation < state.generation {
      guard let snapshot = try? Snapshot(path: path(of: generation)),
        snapshot.generation == generation,
        try PostgresGeneration(connection).remembers(
          StoreState(generation: generation, edition: snapshot.storeID)
        ),
        (try? snapshot.verifyBytes()) != nil
      else { continue }
      return snapshot
    }
    return nil
  }
}

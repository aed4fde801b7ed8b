import Foundation
import GRDB
import GeoIndex
public import GeoQuery

extension RestaurantStore {
  /// The snapshot of the current generation, from the file next to the database, which is written
  /// if it is missing or unusable.
  ///
  /// ```swift
  /// let engine = QueryEngine(try store.snapshot())
  /// ```
  ///
  /// - Parameter notice: Called with a sentence about why the file is not used, and what is done
  ///   instead.
  /// - Returns: The snapshot, mapped.
  /// - Throws: `StoreError` if the database cannot be read; `SnapshotError` if the snapshot can be
  ///   written neither next to the database nor in the folder for temporary files.
  /// - Complexity: O(1); O(n log n) if it has to be made.
  public func snapshot(notice: (String) -> Void = { _ in }) throws -> Snapshot {
    // an import may remove a snapshot between reading the generation and opening the file; another
    // attempt finds the next one
    for _ in 0..<3 {
      do {
        return try openSnapshot()
      } catch let problem as SnapshotProblem where problem.isMissing {
        continue
      } catch is SnapshotProblem {
        break
      }
    }
    keepLog()
    return try readDatabase { db in
      let state = try SQLiteConnection(db, path: path).state()
      do throws(SnapshotProblem) {
        return try SnapshotFiles(database: path).open(state)
      } catch {
        return try rebuild(db, state, because: error, notice)
      }
    }
  }

  /// Reads the whole snapshot of the current generation, and writes it again if it is damaged.
  package func repairSnapshot(notice: (String) -> Void) throws {
    keepLog()
    try readDatabase { db in
      let state = try SQLiteConnection(db, path: path).state()
      let problem: SnapshotProblem
      do {
        try SnapshotFiles(database: path).open(state).verify()
        return
      } catch let error as SnapshotProblem {
        problem = error
      } catch let error as SnapshotError {
        problem = SnapshotProblem(path: error.path, reason: error.reason, isMissing: false)
      }
      _ = try rebuild(db, state, because: problem, notice)
    }
  }

  private func openSnapshot() throws -> Snapshot {
    let state = try readDatabase { try SQLiteConnection($0, path: path).state() }
    return try SnapshotFiles(database: path).open(state)
  }

  private func rebuild(
    _ db: Database,
    _ state: StoreState,
    because problem: SnapshotProblem,
    _ notice: (String) -> Void
  ) throws -> Snapshot {
    let maker = SnapshotMaker(db, path: path)
    let file = SnapshotFiles(database: path).path(of: state.generation)
    do {
      try maker.write(StoredPoints(db, path: path), state, to: file)
      // a database that was copied has none yet
      if !problem.isMissing {
        notice("\(problem.path): unusable, because \(problem.reason); rebuilt")
      }
      return try Snapshot(path: file)
    } catch is SnapshotError {
      let temporary = FileManager.default.temporaryDirectory.path + "/geoq-\(randomDigits()).geoqx"
      defer { unlink(temporary) }
      try maker.write(StoredPoints(db, path: path), state, to: temporary)
      notice(
        "\(problem.path): unusable, because \(problem.reason); it cannot be written here, so a "
          + "temporary one is used"
      )
      return try Snapshot(path: temporary)
    }
  }

  /// Identifies the contents of a store that a reader would get now.
  package struct Edition: Sendable, Hashable {
    /// The random number of the generation: generations of another history of the store have other
    /// numbers.
    package let number: UInt64

    /// Counts the changes of restaurants, by imports and by edits.
    package let generation: Int
  }

  /// The edition of the store's current contents.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(1): one row.
  package func edition() throws -> Edition {
    let state = try read { try $0.state() }
    return Edition(number: state.edition, generation: state.generation)
  }
}

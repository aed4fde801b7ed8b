import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// Checks whether queries can use the snapshot next to a database.
enum SnapshotCheck {
  /// Opens the snapshot of the database's generation and checks it.
  ///
  /// - Parameters:
  ///   - db: A read transaction.
  ///   - path: The database file.
  ///   - look: Checks its contents, and describes the result.
  /// - Returns: The result. A missing snapshot is not a fault, because the next query writes it.
  /// - Throws: `Verification.Fault` if it cannot be used; errors of `look`.
  static func run(
    _ db: Database,
    path: String,
    _ look: (Snapshot) throws -> String
  ) throws -> String {
    let state = try SQLiteConnection(db, path: path).state()
    do {
      let snapshot = try SnapshotFiles(database: path).open(state)
      return "generation \(state.generation), \(snapshot.count) restaurants, \(try look(snapshot))"
    } catch let problem as SnapshotProblem where problem.isMissing {
      return "missing for generation \(state.generation); the next query writes it"
    } catch let problem as SnapshotProblem {
      throw Verification.Fault("\(problem.path): \(problem.reason); the next query makes it again")
    } catch let error as SnapshotError {
      throw Verification.Fault(
        "\(error.path): \(error.reason); remove it, and the next query makes it again"
      )
    }
  }
}

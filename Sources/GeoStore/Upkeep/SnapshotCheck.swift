import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// Whether the snapshot beside a database is one that queries can use.
enum SnapshotCheck {
  /// Opens the snapshot of the database's generation and looks at it.
  ///
  /// - Parameters:
  ///   - db: A read transaction.
  ///   - path: The database file.
  ///   - look: Looks at what is in it, and says what it found.
  /// - Returns: What was found. That there is none is no fault, for the next query makes it.
  /// - Throws: `Verification.Fault` where it cannot be used; what `look` throws.
  static func run(
    _ db: Database,
    path: String,
    _ look: (Snapshot) throws -> String
  ) throws -> String {
    let state = try StoreReader(db, path: path).state()
    do {
      let snapshot = try SnapshotFiles(database: path).open(state)
      return "generation \(state.generation), \(snapshot.count) restaurants, \(try look(snapshot))"
    } catch let problem as SnapshotProblem where problem.isMissing {
      return "there is none of generation \(state.generation); the next query makes it"
    } catch let problem as SnapshotProblem {
      throw Verification.Fault("\(problem.path): \(problem.reason); the next query makes it again")
    } catch let error as SnapshotError {
      throw Verification.Fault(
        "\(error.path): \(error.reason); remove it, and the next query makes it again"
      )
    }
  }
}

import Foundation
import GeoQuery

/// What one request is answered from, from its first byte to its last.
///
/// A reference: requests hold it as long as they run, and its mapping goes when the last one leaves.
final class ServedGeneration: Sendable {
  /// Answers queries over the snapshot.
  let engine: QueryEngine

  /// Since when it is served (RFC 3339).
  let takenUp = Date().formatted(.iso8601)

  /// Serves a snapshot from now on.
  init(_ snapshot: Snapshot) {
    engine = QueryEngine(snapshot)
  }

  /// The snapshot.
  var snapshot: Snapshot { engine.snapshot }

  /// Counts the imports that changed something.
  var number: Int { snapshot.generation }

  /// The number that tells this generation from one of another store or another history.
  var edition: UInt64 { snapshot.storeID }
}

import Foundation
import GeoIndex
import GeoQuery

/// A snapshot of some restaurants in a temporary file, which goes as soon as it is mapped.
enum TemporarySnapshot {
  /// Makes one.
  ///
  /// - Parameters:
  ///   - places: In order of id.
  ///   - storeID: The edition.
  ///   - generation: The generation.
  /// - Returns: The snapshot, mapped.
  /// - Throws: `SnapshotError` if it cannot be written.
  static func make(
    of places: [Restaurant],
    storeID: UInt64 = 1,
    generation: Int
  ) throws -> Snapshot {
    let folder = FileManager.default.temporaryDirectory.path
    let path = "\(folder)/geoq-\(UUID().uuidString).geoqx"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Snapshot.write(places, to: path, storeID: storeID, generation: generation)
    return try Snapshot(path: path)
  }
}

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
    var writer = try SnapshotWriter(for: path, tree: KDTree(places.map(\.coordinate)))
    for place in places { try writer.append(place) }
    try writer.finish(storeID: storeID, generation: generation)
    return try Snapshot(path: path)
  }
}

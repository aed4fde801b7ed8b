import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// What this machine has of a store, found by the address alone, without the server.
///
/// A file in the cache folder, named by a hash of the address, has the store's id. Its time says when
/// the newest snapshot was last known to be the current one.
struct PostgresReplica {
  /// The prefix of the paths of this store's files.
  let prefix: String

  private let folder: String
  private var path: String { prefix + ".store" }

  init(of address: PostgresAddress, in folder: String) {
    let hash = SHA256.hexDigest(of: Array("\(address.connection)\n\(address.schema)".utf8))
    self.folder = folder
    prefix = "\(folder)/\(hash.prefix(16))"
  }

  /// Notes that the newest snapshot is the current one, unless the folder cannot be written.
  func note(_ storeID: StoreID) {
    if known() == storeID {
      utimes(path, nil)
    } else {
      try? write(storeID)
    }
  }

  /// The newest snapshot, and how long ago it was known to be the current one; nil if there is none.
  func newest() -> (snapshot: Snapshot, age: Duration)? {
    guard let storeID = known() else { return nil }
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    // a clock that was set back must not give a negative age
    let age = max(0, (facts?[.modificationDate] as? Date).map { -$0.timeIntervalSinceNow } ?? 0)
    let snapshots = PostgresSnapshots(folder: folder, storeID: storeID)
    for generation in snapshots.generations().sorted(by: >) {
      guard let snapshot = try? Snapshot(path: snapshots.path(of: generation)),
        snapshot.generation == generation
      else { continue }
      return (snapshot, .seconds(age))
    }
    return nil
  }

  private func write(_ storeID: StoreID) throws(SnapshotError) {
    let file = try ReplacementFile(for: path, access: .thisUser)
    try file.append(Array((storeID.text + "\n").utf8))
    try file.takePlace()
  }

  private func known() -> StoreID? {
    guard let file = FileHandle(forReadingAtPath: path),
      let bytes = try? file.read(upToCount: 64)
    else { return nil }
    return StoreID(String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self))
  }
}

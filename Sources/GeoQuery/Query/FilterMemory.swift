import Foundation
import GeoIndex

/// A cache of the filters that were asked for last, because a map that is moved repeats the same filter.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class FilterMemory: @unchecked Sendable {
  private static let capacity = 64

  /// The maximum length of a remembered filter in bytes, because clients choose the length.
  private static let byteCount = 1_024

  private let lock = NSLock()
  /// The one asked for last at the end.
  private var entries: [(key: [UInt8], positions: PositionSet)] = []

  /// The result of a filter; nil if it is not in the cache.
  func positions(of filter: Filter) -> PositionSet? {
    let key = filter.bytes
    // a few short texts, compared byte by byte, because all queries wait for this lock
    return lock.withLock {
      guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.positions
    }
  }

  /// Adds the result of a filter.
  func remember(_ positions: PositionSet, of filter: Filter) {
    let key = filter.bytes
    guard key.count <= Self.byteCount, filter.ids == nil, filter.favoriteIDs == nil
    else { return }
    lock.withLock {
      entries.removeAll { $0.key == key }
      if entries.count >= Self.capacity { entries.removeFirst() }
      entries.append((key, positions))
    }
  }
}

import Foundation
import GeoIndex

/// A cache of the last few filters and their results, because a map that is moved repeats the same
/// filter.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class FilterMemory: @unchecked Sendable {
  private static let capacity = 64

  /// The maximum length of a remembered filter in bytes, because clients choose the length.
  private static let byteCount = 1_024

  private let lock = NSLock()
  private var entries: [(key: [UInt8], positions: PositionSet)] = []

  /// The result of a filter; nil if it is not in the cache.
  func positions(of filter: Filter) -> PositionSet? {
    let key = filter.bytes
    // a few short texts, compared byte by byte, because all queries wait for this lock
    return lock.withLock { entries.first { $0.key == key }?.positions }
  }

  /// Adds the result of a filter.
  func remember(_ positions: PositionSet, of filter: Filter) {
    let key = filter.bytes
    guard key.count <= Self.byteCount, filter.ids == nil, filter.favoriteIDs == nil
    else { return }
    lock.withLock {
      if entries.count >= Self.capacity { entries.removeAll() }
      entries.append((key, positions))
    }
  }
}

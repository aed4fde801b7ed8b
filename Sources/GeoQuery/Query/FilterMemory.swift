import Foundation
import GeoIndex

/// The last few filters and what they found: a map that is moved asks the same filter again and again.
///
/// `@unchecked Sendable`: everything is touched under the lock only.
final class FilterMemory: @unchecked Sendable {
  private static let capacity = 64

  /// A stranger says how long a filter is: none of them fills the memory with what is kept.
  private static let byteCount = 1_024

  private let lock = NSLock()
  private var entries: [(key: [UInt8], positions: PositionSet)] = []

  /// What a filter found; nil if that is not known.
  func positions(of filter: Filter) -> PositionSet? {
    let key = filter.bytes
    // a few short texts, compared byte by byte: everybody waits for this lock
    return lock.withLock { entries.first { $0.key == key }?.positions }
  }

  /// Keeps what a filter found.
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

import Foundation
import GeoIndex
import NIOConcurrencyHelpers

/// What one request is answered from, from its first byte to its last.
///
/// A reference: requests hold it as long as they run, and its memory goes when the last one leaves.
final class ServedGeneration: Sendable {
  /// The data.
  let data: any ServedData

  /// Since when it is served (RFC 3339).
  let takenUp = Date().formatted(.iso8601)

  private let selections = NIOLockedValueBox<[(choice: [UInt8], positions: PositionSet)]>([])
  private let orders = NIOLockedValueBox<[SortKey: SortedOrder]>([:])
  private static let remembered = 64
  private static let rememberedBytes = 1_024

  init(_ data: any ServedData) {
    self.data = data
  }

  /// The positions that a choice takes; nil where it takes all.
  ///
  /// The last few are kept: a map that is moved asks the same choice again and again.
  ///
  /// - Throws: `DeadlineExceeded`.
  func positions(of choice: Choice, until deadline: Deadline) throws -> PositionSet? {
    if choice.takesAll { return nil }
    let key = choice.bytes
    if let known = known(key) { return known }
    guard let positions = try data.positions(of: choice, until: deadline) else { return nil }
    // a client says how long its words are: none of them fills the memory with what is kept
    guard key.count <= Self.rememberedBytes else { return positions }
    selections.withLockedValue { selections in
      if selections.count >= Self.remembered { selections.removeAll() }
      selections.append((key, positions))
    }
    return positions
  }

  /// Whether a choice is answered without a search.
  func remembers(_ choice: Choice) -> Bool {
    choice.takesAll || known(choice.bytes) != nil
  }

  /// A few short texts, compared byte by byte: everybody waits for this lock.
  private func known(_ key: [UInt8]) -> PositionSet? {
    selections.withLockedValue { $0.first { $0.choice == key }?.positions }
  }

  /// All positions in an order; made when first asked for.
  func order(_ key: SortKey) -> SortedOrder {
    // under the lock: those who want it as well wait for it, instead of making it too
    orders.withLockedValue { orders in
      if let known = orders[key] { return known }
      let order = SortedOrder(key, of: data)
      orders[key] = order
      return order
    }
  }
}

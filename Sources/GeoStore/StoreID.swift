import Foundation
import GeoFeed
import GeoQuery

/// The id that a store gets when it is made: a random UUID, which is also the key of its hashes.
struct StoreID: Sendable, Hashable {
  let text: String
  let key: SipHash.Key

  /// A new one.
  init() {
    self.init(UUID())
  }

  /// The id that a store has; nil where the text is none.
  init?(_ text: String) {
    guard let id = UUID(uuidString: text) else { return nil }
    self.init(id)
  }

  private init(_ id: UUID) {
    text = id.uuidString.lowercased()
    key = withUnsafeBytes(of: id.uuid) { bytes in
      SipHash.Key(
        low: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self).littleEndian,
        high: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian
      )
    }
  }
}

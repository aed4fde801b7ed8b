import Foundation
import GeoFeed
import GeoQuery

/// The id of a store: a random UUID, made with the store, which is also the key of its hashes.
struct StoreID: Sendable, Hashable {
  let text: String
  let key: SipHash.Key

  /// Makes a new id.
  init() {
    self.init(UUID())
  }

  /// Parses an id; nil if the text is not one.
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

import HTTPTypes
import NIOConcurrencyHelpers

/// The tiles that were asked for last, as they were sent.
///
/// Two halves: what is asked for goes into the young one. If that is full, it becomes the old one, and the
/// tiles of the old one are dropped, unless clients have asked for them since.
final class TileCache: Sendable {
  /// What decides the bytes of a tile.
  struct Key: Hashable, Sendable {
    /// Which data the tile is of.
    let generation: Int
    let edition: UInt64

    /// The request target: bytes, which are compared and hashed in linear time.
    let target: [UInt8]

    /// Whether the client takes gzip.
    let isGzip: Bool
  }

  private struct State {
    var young: [Key: AnswerPlan.Body] = [:]
    var old: [Key: AnswerPlan.Body] = [:]
    var youngBytes = 0
  }

  /// Bytes of an entry in addition to those of its key and its tile.
  private static let overhead = 256

  private let limit: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameter limit: Bytes of all tiles.
  init(limit: Int = ServiceLimits.keptTileBytes) {
    self.limit = limit
  }

  /// A tile; nil if it is not kept.
  func tile(_ key: Key) -> AnswerPlan.Body? {
    let found = state.withLockedValue { (young: $0.young[key], old: $0.old[key]) }
    guard found.young == nil, let old = found.old else { return found.young }
    keep(old, for: key)
    return old
  }

  /// Keeps the answer to a request for a tile, unless it is an error or larger than an eighth of the limit.
  func keep(_ response: ServiceResponse, for key: Key) {
    guard response.status == .ok || response.status == .noContent else { return }
    let body = AnswerPlan.Body(
      bytes: response.body,
      hits: response.hits,
      status: response.status,
      type: response.fields[.contentType],
      packed: key.isGzip ? response.body : nil
    )
    keep(body, for: key)
  }

  private func keep(_ body: AnswerPlan.Body, for key: Key) {
    let size = body.bytes.count + key.target.count + Self.overhead
    guard size <= limit / 8 else { return }
    let dropped: [Key: AnswerPlan.Body] = state.withLockedValue { state in
      guard state.young.updateValue(body, forKey: key) == nil else { return [:] }
      state.youngBytes += size
      guard state.youngBytes > limit / 2 else { return [:] }
      let dropped = state.old
      state.old = state.young
      state.young = [:]
      state.youngBytes = 0
      return dropped
    }
    // freeing many takes time: other requests do not wait for it here
    withExtendedLifetime(dropped) {}
  }
}

extension TileCache.Key {
  /// The key of a request; nil if it is not for a tile, or for one that depends on the favorites.
  init?(_ asked: Asked, isGzip: Bool) {
    guard asked.route.isTile, !asked.usesFavorites else { return nil }
    self.init(
      generation: asked.generation.number,
      edition: asked.generation.edition,
      target: Array(asked.request.target.utf8),
      isGzip: isGzip
    )
  }
}

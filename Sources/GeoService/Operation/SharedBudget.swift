import NIOConcurrencyHelpers

/// An amount that all clients share: a limit for all together, and a smaller one for each peer, so
/// that one client cannot use it up.
///
/// The loopback address has three quarters, because all clients of an unannounced proxy have this
/// address.
final class SharedBudget: Sendable {
  /// The reason for a refusal.
  enum Refusal: Error {
    /// The peer has used its share.
    case peer
    /// The whole amount is in use.
    case all
  }

  private struct State {
    var used = 0
    var byPeer: [Peer: Int] = [:]
  }

  private let limit: Int
  private let share: Int
  private let least: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - limit: The limit for all peers together.
  ///   - share: The limit for one peer.
  ///   - least: What each peer may have even if the limit for all is reached.
  init(limit: Int, share: Int, least: Int = 0) {
    self.limit = limit
    self.share = share
    self.least = least
  }

  /// The amount in use.
  var used: Int { state.withLockedValue { $0.used } }

  /// The amount that a peer has in use.
  func used(by peer: Peer) -> Int { state.withLockedValue { $0.byPeer[peer, default: 0] } }

  /// Reserves an amount for a peer.
  ///
  /// A peer below its limit may exceed it once, so that nothing is too large for an idle service.
  /// `Peer.none` has no limit of its own.
  ///
  /// - Throws: `Refusal` if the limit was reached before.
  func take(_ count: Int = 1, for peer: Peer) throws(Refusal) {
    let refusal: Refusal? = state.withLockedValue { state in
      let own = peer.isThisMachine ? max(share, limit / 4 * 3) : share
      let taken = state.byPeer[peer, default: 0]
      if peer != .none, taken >= own { return .peer }
      if state.used >= limit, taken >= least { return .all }
      state.used += count
      state.byPeer[peer, default: 0] += count
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Frees an amount.
  func give(_ count: Int = 1, for peer: Peer) {
    state.withLockedValue { state in
      state.used -= count
      let rest = state.byPeer[peer, default: 0] - count
      state.byPeer[peer] = rest > 0 ? rest : nil
    }
  }
}

import NIOConcurrencyHelpers

/// An amount that all clients share: a limit for all together, and a smaller one for each peer, so
/// that one client alone cannot use it up.
///
/// This machine's own address has three quarters: an unannounced proxy may be behind it, and
/// with it all its clients.
final class SharedBudget: Sendable {
  /// Why an amount was not given.
  enum Refusal: Error {
    /// The peer has its share.
    case peer
    /// Everything is given away.
    case all
  }

  private struct State {
    var used = 0
    var byPeer: [Peer: Int] = [:]
  }

  private let limit: Int
  private let share: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - limit: What all peers together may have.
  ///   - share: What one peer may have.
  init(limit: Int, share: Int) {
    self.limit = limit
    self.share = share
  }

  /// How much is given away.
  var used: Int { state.withLockedValue { $0.used } }

  /// Takes an amount for a peer.
  ///
  /// A peer below its limit may go beyond it once: nothing is too large for an idle service. `Peer.none`
  /// has no limit of its own.
  ///
  /// - Throws: `Refusal` if the limit was reached before.
  func take(_ count: Int = 1, for peer: Peer) throws(Refusal) {
    let refusal: Refusal? = state.withLockedValue { state in
      let own = peer.isThisMachine ? max(share, limit / 4 * 3) : share
      if peer != .none, state.byPeer[peer, default: 0] >= own { return .peer }
      if state.used >= limit { return .all }
      state.used += count
      state.byPeer[peer, default: 0] += count
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Gives an amount back.
  func give(_ count: Int = 1, for peer: Peer) {
    state.withLockedValue { state in
      state.used -= count
      let rest = state.byPeer[peer, default: 0] - count
      state.byPeer[peer] = rest > 0 ? rest : nil
    }
  }
}

import NIOConcurrencyHelpers

/// Large answers that wait for slow clients, in bytes.
///
/// Slow clients must not use up all memory. If the whole quota is in use, the slowest one loses
/// its connection.
final class ResponseBackpressure: Sendable {
  private let quota: Quota
  private let shares = NIOLockedValueBox<[ObjectIdentifier: Weak]>([:])

  private struct Weak {
    weak let share: Share?
  }

  /// How long a client has before it can count as slow.
  private static let grace = Duration.seconds(1)

  init(
    limit: Int = ServiceLimits.unsentBytes,
    share: Int = ServiceLimits.unsentBytes / ServiceLimits.shareOfMemory
  ) {
    quota = Quota(limit: limit, share: share)
  }

  /// The number of waiting bytes.
  var used: Int { quota.used }

  /// Reserves memory for an answer until it is sent.
  ///
  /// - Parameters:
  ///   - count: The size of the answer in bytes.
  ///   - peer: The client that reads it.
  ///   - cut: Closes the client's connection, if others need the memory and no client is slower.
  /// - Returns: `nil` if the peer has used its share, or if the whole quota is in use and no
  ///   client is slow.
  func share(of count: Int, for peer: Peer, cut: @escaping @Sendable () -> Void) -> Share? {
    while true {
      do {
        try quota.acquire(count, for: peer)
        let share = Share(of: self, count, peer, cut)
        shares.withLockedValue { $0[ObjectIdentifier(share)] = Weak(share: share) }
        return share
      } catch {
        guard error == .all, let slowest = slowest() else { return nil }
        slowest.release()
        slowest.cut()
      }
    }
  }

  private func slowest() -> Share? {
    let open = shares.withLockedValue { $0.values.compactMap(\.share) }
    return open.filter { $0.age > Self.grace && $0.isHeld }.min { $0.rate < $1.rate }
  }

  /// Memory that is reserved for an answer until its last reference is gone.
  final class Share: Sendable {
    private struct State {
      var sent = 0
      var isHeld = true
    }

    private let whole: ResponseBackpressure
    private let count: Int
    private let peer: Peer
    private let start = ContinuousClock.now
    private let state = NIOLockedValueBox(State())
    fileprivate let cut: @Sendable () -> Void

    fileprivate init(
      of whole: ResponseBackpressure,
      _ count: Int,
      _ peer: Peer,
      _ cut: @escaping @Sendable () -> Void
    ) {
      self.whole = whole
      self.count = count
      self.peer = peer
      self.cut = cut
    }

    /// Counts bytes that were handed to the connection.
    func sent(_ count: Int) { state.withLockedValue { $0.sent += count } }

    fileprivate var age: Duration { start.duration(to: .now) }

    fileprivate var isHeld: Bool { state.withLockedValue { $0.isHeld } }

    /// Bytes per second since the beginning.
    fileprivate var rate: Double {
      let (seconds, attoseconds) = age.components
      return Double(state.withLockedValue { $0.sent })
        / max(Double(seconds) + Double(attoseconds) / 1e18, 1e-3)
    }

    fileprivate func release() {
      let wasHeld = state.withLockedValue { state in
        defer { state.isHeld = false }
        return state.isHeld
      }
      if wasHeld { whole.quota.release(count, for: peer) }
    }

    deinit {
      release()
      let identifier = ObjectIdentifier(self)
      whole.shares.withLockedValue { $0[identifier] = nil }
    }
  }
}

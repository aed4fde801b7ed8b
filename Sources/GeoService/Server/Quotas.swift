import GeoQuery
import NIOConcurrencyHelpers
import NIOCore

/// An amount that all clients share: a limit for all together, and a smaller one for each peer, so
/// that one client cannot use it up.
///
/// The loopback address has three quarters, because all clients of an unannounced proxy have this
/// address.
final class Quota: Sendable {
  enum Refusal {
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
  /// What each peer may have even if the limit for all is reached.
  private let minimum: Int
  private let state = NIOLockedValueBox(State())

  init(limit: Int, share: Int, minimum: Int = 0) {
    self.limit = limit
    self.share = share
    self.minimum = minimum
  }

  var used: Int { state.withLockedValue { $0.used } }

  /// The amount that a peer has in use.
  func used(by peer: Peer) -> Int { state.withLockedValue { $0.byPeer[peer, default: 0] } }

  /// Reserves an amount for a peer.
  ///
  /// A peer below its limit may exceed it once, so that nothing is too large for an idle service.
  /// `Peer.none` has no limit of its own.
  ///
  /// - Returns: The reason why nothing is reserved, if the limit was reached before; otherwise nil.
  func acquire(_ count: Int = 1, for peer: Peer) -> Refusal? {
    state.withLockedValue { state in
      let own = peer.isThisMachine ? max(share, limit / 4 * 3) : share
      let taken = state.byPeer[peer, default: 0]
      if peer != .none, taken >= own { return .peer }
      if state.used >= limit, taken >= minimum { return .all }
      state.used += count
      state.byPeer[peer, default: 0] += count
      return nil
    }
  }

  /// Frees an amount.
  func release(_ count: Int = 1, for peer: Peer) {
    state.withLockedValue { state in
      state.used -= count
      let rest = state.byPeer[peer, default: 0] - count
      state.byPeer[peer] = rest > 0 ? rest : nil
    }
  }
}

/// The resources that clients share, and how much of each is in use.
struct Quotas: Sendable {
  let connections = Quota(
    limit: ServiceLimits.connections,
    share: ServiceLimits.connectionsOfPeer
  )

  /// Bytes of request bodies in memory.
  let bodies = Quota(
    limit: ServiceLimits.bodyBytes,
    share: ServiceLimits.bodyBytes / ServiceLimits.shareOfMemory
  )

  /// Queries that run or wait for a thread.
  ///
  /// Each client may always queue a few queries.
  let queries = Quota(
    limit: ServiceLimits.queries,
    share: ServiceLimits.queries / 2,
    minimum: ServiceLimits.minimumQueries
  )

  /// Plans that run or wait for a thread.
  let plans = Quota(limit: ServiceLimits.plans, share: ServiceLimits.plans / 2)

  /// Reads of favorites that run or wait.
  let favoriteReads = Quota(
    limit: ServiceLimits.favoriteRequests,
    share: ServiceLimits.favoriteRequests / 2
  )

  /// Writes of favorites that run or wait; separate from reads, which any client may send.
  let favoriteWrites = Quota(
    limit: ServiceLimits.favoriteRequests,
    share: ServiceLimits.favoriteRequests
  )

  /// Documents and metrics that are made: each connection may wait for one.
  let documents = Quota(
    limit: ServiceLimits.connections,
    share: ServiceLimits.connectionsOfPeer
  )

  /// Requests for images that run or wait.
  let images = Quota(limit: ImageLimits.requests, share: ImageLimits.requests / 2)

  /// Answers that wait for slow clients.
  let unsent = ResponseBackpressure()
}

/// The client of a connection, for counting its share: an IPv4 address, or an IPv6 network of 64
/// bits, which belongs to one household.
struct Peer: Hashable, Sendable {
  private let network: UInt64
  private let isIPv6: Bool

  /// The peer of requests without a network, or from an announced proxy.
  static let none = Peer(nil)

  /// Whether it is the loopback address, 127.0.0.1 or ::1.
  let isThisMachine: Bool

  /// The peer with an address; `none` for `nil` and local sockets.
  init(_ address: SocketAddress?) {
    let bytes = address?.withSockAddr { NetworkAddress($0, length: $1)?.bytes } ?? []
    if bytes.count == 16, !bytes.starts(with: Self.mappedPrefix) {
      (network, isIPv6) = (Self.number(bytes.prefix(8)), true)
      isThisMachine = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    } else {
      (network, isIPv6) = (Self.number(bytes.suffix(4)), false)
      isThisMachine = network == 0x7F00_0001
    }
  }

  /// The prefix of IPv4 addresses that are written as IPv6 (RFC 4291 section 2.5.5.2).
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The address that the proxy in front saw: the last of `X-Forwarded-For`, which that proxy
  /// wrote.
  ///
  /// `nil` if it is not an address.
  static func forwarded(_ list: String?) -> SocketAddress? {
    guard let last = list?.split(separator: ",", omittingEmptySubsequences: false).last else {
      return nil
    }
    return try? SocketAddress(ipAddress: String(last).trimmingBlanks, port: 0)
  }
}

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
    while let refusal = quota.acquire(count, for: peer) {
      guard refusal == .all, let slowest = slowest() else { return nil }
      slowest.release()
      slowest.cut()
    }
    let share = Share(of: self, count, peer, cut)
    shares.withLockedValue { $0[ObjectIdentifier(share)] = Weak(share: share) }
    return share
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
      let seconds = age / .seconds(1)
      return Double(state.withLockedValue { $0.sent }) / max(seconds, 1e-3)
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

import NIOConcurrencyHelpers
import NIOCore

/// An amount that all clients share: a limit for all together, and a smaller one for each peer, so
/// that one client cannot use it up.
///
/// The loopback address has three quarters, because all clients of an unannounced proxy have this
/// address.
final class Quota: Sendable {
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
  private let minimum: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - limit: The limit for all peers together.
  ///   - share: The limit for one peer.
  ///   - minimum: What each peer may have even if the limit for all is reached.
  init(limit: Int, share: Int, minimum: Int = 0) {
    self.limit = limit
    self.share = share
    self.minimum = minimum
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
  func acquire(_ count: Int = 1, for peer: Peer) throws(Refusal) {
    let refusal: Refusal? = state.withLockedValue { state in
      let own = peer.isThisMachine ? max(share, limit / 4 * 3) : share
      let taken = state.byPeer[peer, default: 0]
      if peer != .none, taken >= own { return .peer }
      if state.used >= limit, taken >= minimum { return .all }
      state.used += count
      state.byPeer[peer, default: 0] += count
      return nil
    }
    if let refusal { throw refusal }
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
  /// Open connections.
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
    // the offset of the address in sockaddr_in and sockaddr_in6
    let bytes = address?.withSockAddr { start, size in
      Array(UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: size))
    }
    switch address {
    case .v4:
      (network, isIPv6) = (Self.number(bytes?[4..<8] ?? []), false)
      isThisMachine = network == 0x7F00_0001
    case .v6:
      let address = bytes?[8..<24] ?? []
      isIPv6 = !address.starts(with: Self.mappedPrefix)
      network = Self.number(isIPv6 ? address.prefix(8) : address.suffix(4))
      isThisMachine = isIPv6 ? Self.isLoopback(address) : network == 0x7F00_0001
    default: (network, isIPv6, isThisMachine) = (0, false, false)
    }
  }

  /// The prefix of IPv4 addresses that are written as IPv6 (RFC 4291 section 2.5.5.2).
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  private static func isLoopback(_ address: ArraySlice<UInt8>) -> Bool {
    address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
  }

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
    return try? SocketAddress(ipAddress: trimmed(last), port: 0)
  }
}

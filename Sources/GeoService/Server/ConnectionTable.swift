import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a service: who may open another one, and which of them are idle.
///
/// When hardly any more fit, a new connection takes the place of an idle one, and the last places are
/// for clients that have few. So neither idle nor slow clients shut out the others.
final class ConnectionTable: Sendable {
  /// An event for a connection that is to close if it is idle.
  enum Event { case makeRoom }

  /// A connection, and since when it is idle.
  final class Connection: Sendable {
    fileprivate struct Idleness {
      var since: NIODeadline?
      var hasAsked = false
    }

    fileprivate let channel: any Channel
    fileprivate let peer: Peer
    fileprivate let idleness = NIOLockedValueBox(Idleness(since: .now()))

    fileprivate init(_ channel: any Channel, _ peer: Peer) {
      self.channel = channel
      self.peer = peer
    }

    func becomeActive() { idleness.withLockedValue { $0 = Idleness(hasAsked: true) } }

    func becomeIdle() { idleness.withLockedValue { $0.since = .now() } }

    /// Those that have never asked are given up first, then those that have waited longest.
    fileprivate var rank: (Int, NIODeadline)? {
      idleness.withLockedValue { idleness in
        idleness.since.map { (idleness.hasAsked ? 1 : 0, $0) }
      }
    }
  }

  private let limit: Int
  private let quota: Quota
  private let open = NIOLockedValueBox<[ObjectIdentifier: Connection]>([:])

  init(limit: Int, _ quota: Quota) {
    self.limit = limit
    self.quota = quota
  }

  /// Lists a new connection; `nil` if its client has too many.
  func add(_ channel: any Channel, of peer: Peer) -> Connection? {
    guard quota.acquire(for: peer) == nil else { return nil }
    guard hasRoom(for: peer) else {
      quota.release(for: peer)
      return nil
    }
    let connection = Connection(channel, peer)
    open.withLockedValue { $0[ObjectIdentifier(connection)] = connection }
    channel.closeFuture.whenComplete { [self] _ in
      open.withLockedValue { $0[ObjectIdentifier(connection)] = nil }
      quota.release(for: peer)
    }
    return connection
  }

  /// Whether one more connection fits, if need be in the place of an idle one.
  ///
  /// A client that has several takes only places of its own; the last places are for the others.
  private func hasRoom(for peer: Peer) -> Bool {
    let (count, reserve) = (open.withLockedValue { $0.count }, limit / ServiceLimits.reservedShare)
    if quota.used(by: peer) > ServiceLimits.reservedConnections {
      return count < limit - reserve || makeRoom { $0.peer == peer }
    }
    if count >= limit - reserve / 2 { _ = makeRoom { _ in true } }
    return true
  }

  /// Closes one of some connections: the idle one that can best be spared.
  ///
  /// - Returns: Whether one is idle.
  private func makeRoom(among isMeant: (Connection) -> Bool) -> Bool {
    let all = open.withLockedValue { Array($0.values) }
    let idle = all.compactMap { one in isMeant(one) ? one.rank.map { (one, $0) } : nil }
    guard let (connection, _) = idle.min(by: { $0.1 < $1.1 }) else { return false }
    let channel = connection.channel
    // several newcomers must not ask for the same place
    connection.becomeActive()
    channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(Event.makeRoom) }
    return true
  }
}

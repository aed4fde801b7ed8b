import NIOCore

/// Closes the connection of a client that reads its answers too slowly.
///
/// One for each connection, on its event loop, the first of its handlers.
final class SlowReaderHandler: ChannelOutboundHandler {
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private var check: Scheduled<Void>?
  private var writtenBytes = 0
  private var takenBytes: Int?
  private var slowPeriods = 0

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    writtenBytes += unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    checkLater(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  /// Checks periodically how much the client has read, as long as there is something to send.
  private func checkLater(_ context: ChannelHandlerContext) {
    guard check == nil, context.channel.unsentBytes > 0 else { return }
    let time = TimeAmount.seconds(ServiceLimits.writeSeconds)
    check = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
      self?.check = nil
      self?.checkNow(context)
    }
  }

  private func checkNow(_ context: ChannelHandlerContext) {
    let waiting = context.channel.unsentBytes
    guard waiting > 0 else {
      (takenBytes, slowPeriods) = (nil, 0)
      return
    }
    acknowledgedBytes(context) { this, context, acknowledged in
      if this.isTooSlow(taken: acknowledged ?? this.writtenBytes - waiting) {
        return context.channel.cut()
      }
      this.checkLater(context)
    }
  }

  /// Whether a client has read less than it must in two periods.
  ///
  /// One period alone says little, because the client's system acknowledges in large steps.
  private func isTooSlow(taken: Int) -> Bool {
    let isSlow = taken - (takenBytes ?? 0) < ServiceLimits.writeProgressBytes
    takenBytes = taken
    slowPeriods = isSlow ? slowPeriods + 1 : 0
    return slowPeriods > 1
  }

  /// The number of bytes that the client's system has acknowledged; `nil` if this system does not
  /// say.
  ///
  /// The number of bytes written to this system says little: it buffers megabytes, which a client
  /// at 100 kB/s reads in half a minute.
  private func acknowledgedBytes(
    _ context: ChannelHandlerContext,
    _ body: @escaping (SlowReaderHandler, ChannelHandlerContext, Int?) -> Void
  ) {
    #if os(Linux)
    guard let socket = context.channel as? any SocketOptionProvider else {
      return body(self, context, nil)
    }
    let bound = NIOLoopBound((self, context, body), eventLoop: context.eventLoop)
    let info: EventLoopFuture<TCPInfo> = socket.unsafeGetSocketOption(
      level: .tcp,
      name: NIOBSDSocket.Option(rawValue: TCP_INFO)
    )
    info.whenComplete { result in
      let (this, context, body) = bound.value
      body(this, context, (try? result.get()).map { Int($0.bytesAcknowledged) })
    }
    #else
    body(self, context, nil)
    #endif
  }
}

extension Channel {
  /// Bytes that were written and are not the system's yet; on the channel's event loop.
  var unsentBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

  /// Closes the connection, and discards what the client has not read.
  ///
  /// After a plain close the system would offer it to a client that does not read, and keep its
  /// memory, for minutes.
  @Sendable
  func cut() {
    if let socket = self as? any SocketOptionProvider {
      _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
    close(promise: nil)
  }
}

#if os(Linux)
/// The beginning of Linux's `struct tcp_info` (linux/tcp.h), whose 16th word of 64 bits is
/// `tcpi_bytes_acked`.
private struct TCPInfo {
  private let state: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  private let times: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  let bytesAcknowledged: UInt64
}
#endif

import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP as events, which end nothing by themselves any more.
///
/// A hangup signal that was ignored at the start, as with `nohup`, stays ignored.
struct ShutdownSignals {
  /// An element for each signal that has arrived.
  let arrivals: AsyncStream<Void>

  private let sources: [any DispatchSourceSignal]

  init() {
    let (arrivals, signal) = AsyncStream.makeStream(of: Void.self)
    self.arrivals = arrivals
    sources = Self.numbers.map { number in
      Self.systemSignal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { signal.yield() }
      source.resume()
      return source
    }
  }

  /// Ignores the signals from now on.
  func ignore() {
    for source in sources { source.cancel() }
  }

  private static var numbers: [Int32] {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    #if canImport(Glibc)
    let handler = action.__sigaction_handler.sa_handler
    #else
    let handler = action.__sigaction_u.__sa_handler
    #endif
    let isIgnored = unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    return isIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
  }

  private static func systemSignal(
    _ number: Int32,
    _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    signal(number, handler)
  }
}

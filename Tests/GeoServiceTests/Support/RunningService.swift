import Foundation

@testable import GeoService

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A service on a free port of loopback, for what only a socket can show.
enum RunningService {
  /// Runs a block with the port of a service that ends with it.
  static func with(
    _ service: RestaurantService,
    _ body: @escaping @Sendable (Int) async throws -> Void
  )
    async throws
  {
    var run = ServiceRun(of: service)
    run.port = 0
    run.logsRequests = false
    run.endsOnSignals = false
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Void.self) { [run] group in
      group.addTask {
        defer { found.finish() }
        try await run.run { found.yield($0) }
      }
      var result = Result<Void, any Error>.success(())
      for await port in ports {
        do { try await body(port) } catch { result = .failure(error) }
        break
      }
      group.cancelAll()
      try await group.waitForAll()
      try result.get()
    }
  }
}

/// A plain socket: what no HTTP library would send.
struct RawConnection {
  private let descriptor: Int32

  init?(port: Int) {
    #if canImport(Glibc)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      Self.close(descriptor)
      return nil
    }
    var time = timeval(tv_sec: 3, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Sends bytes; the peer may have closed.
  ///
  /// - Returns: The number of bytes that the system has accepted.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Int {
    #if canImport(Glibc)
    let flags = Int32(MSG_NOSIGNAL)
    #else
    let flags: Int32 = 0
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { buffer in
        systemSend(descriptor, buffer.baseAddress, buffer.count, flags)
      }
      if sent <= 0 { break }
      rest.removeFirst(sent)
    }
    return bytes.count - rest.count
  }

  /// What comes until the peer closes, enough has come, or nothing comes for some seconds.
  ///
  /// It waits on a thread of its own: the service needs those of the tests.
  func receive(
    upTo count: Int = 1 << 20,
    within seconds: Int = 3
  ) async -> (bytes: [UInt8], isClosed: Bool) {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: received(upTo: count, within: seconds))
      }
    }
  }

  private func received(upTo count: Int, within seconds: Int) -> (bytes: [UInt8], isClosed: Bool) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var received: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while received.count < count {
      let got = recv(descriptor, &piece, piece.count, 0)
      if got == 0 || (got < 0 && errno == ECONNRESET) { return (received, true) }
      if got < 0 { return (received, false) }
      received += piece[..<got]
    }
    return (received, false)
  }

  /// Closes the connection.
  func close() { Self.close(descriptor) }

  private static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
    _ = Glibc.close(descriptor)
    #else
    _ = Darwin.close(descriptor)
    #endif
  }
}

private func systemSend(
  _ descriptor: Int32,
  _ bytes: UnsafeRawPointer?,
  _ count: Int,
  _ flags: Int32
) -> Int {
  send(descriptor, bytes, count, flags)
}

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A listener on the loopback interface for one test: it counts connections, and answers by path.
final class ImageListener: @unchecked Sendable {
  /// What an answer is.
  enum Answer: Sendable {
    /// Bytes, as they are.
    case bytes(String, [UInt8])
    /// A head, and then a byte now and then.
    case drip(String)
    /// A head, and then bytes without an end.
    case endless(String)
    case redirect(String)
    /// Nothing.
    case silence
  }

  let port: UInt16

  private let descriptor: Int32
  private let answer: @Sendable (String) -> Answer
  private let lock = NSLock()
  private var seen: [String] = []
  private var connections = 0

  init?(_ answer: @escaping @Sendable (String) -> Answer) {
    self.answer = answer
    #if canImport(Glibc)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isBound else { return nil }
    Thread.detachNewThread { self.accept() }
  }

  /// Ends listening.
  ///
  /// On Linux the thread that accepts closes the socket: if this one did, its number might belong to another
  /// test's listener before the thread asks again, which would then answer in its place.
  func stop() {
    #if canImport(Glibc)
    shutdown(descriptor, Int32(SHUT_RDWR))
    #else
    close(descriptor)
    #endif
  }

  /// How many connections came in.
  var count: Int { lock.withLock { connections } }

  /// The paths that were asked for.
  var paths: [String] { lock.withLock { seen } }

  private func accept() {
    while true {
      let client = systemAccept(descriptor, nil, nil)
      if client < 0 {
        #if canImport(Glibc)
        close(descriptor)
        #endif
        return
      }
      lock.withLock { connections += 1 }
      Thread.detachNewThread { self.serve(client) }
    }
  }

  private func serve(_ client: Int32) {
    defer { close(client) }
    var head: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while !head.contains(where: { $0 == 0x0A }) || !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let got = read(client, &piece, piece.count)
      if got <= 0 { return }
      head += piece[..<got]
    }
    let path = String(decoding: head.split(separator: 0x20)[1], as: UTF8.self)
    lock.withLock { seen.append(path) }
    switch answer(path) {
    case .bytes(let head, let body): _ = send(Array(head.utf8) + body, to: client)
    case .redirect(let address):
      let head = "HTTP/1.1 302 Found\r\nLocation: \(address)\r\nContent-Length: 0\r\n\r\n"
      _ = send(Array(head.utf8), to: client)
    case .drip(let head):
      guard send(Array(head.utf8), to: client) else { return }
      while send([7], to: client) { usleep(50_000) }
    case .endless(let head):
      guard send(Array(head.utf8), to: client) else { return }
      while send(piece, to: client) {}
    case .silence: _ = read(client, &piece, piece.count)
    }
  }

  private func send(_ bytes: [UInt8], to client: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
      #else
      let flags: Int32 = 0
      #endif
      let sent = rest.withUnsafeBytes { systemSend(client, $0.baseAddress, $0.count, flags) }
      if sent <= 0 { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}

// the type's own functions have these names too
private func systemSend(
  _ client: Int32,
  _ bytes: UnsafeRawPointer?,
  _ count: Int,
  _ flags: Int32
)
  -> Int
{
  send(client, bytes, count, flags)
}

private func systemAccept(
  _ listener: Int32,
  _ address: UnsafeMutablePointer<sockaddr>?,
  _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 {
  accept(listener, address, length)
}

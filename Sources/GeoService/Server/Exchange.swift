import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

/// A request of a connection, until its answer is written.
struct Exchange: Sendable {
  let request: ServiceRequest
  /// Whose quotas it uses.
  let peer: Peer
  let channel: any Channel
  let start = ContinuousClock.now
  var loop: any EventLoop { channel.eventLoop }

  init(_ head: HTTPRequestHead, on channel: any Channel, of responder: ServiceResponder) {
    let address = channel.remoteAddress
    let (host, fields) = Self.fields(of: head)
    let forwarded =
      responder.service.settings.isBehindProxy ? Peer.forwarded(fields[.forwardedFor]) : nil
    var request = ServiceRequest(
      HTTPRequest.Method(head.method.rawValue) ?? Self.unknownMethod,
      head.uri,
      host: host,
      fields: fields,
      port: channel.localAddress?.port,
      id: responder.ids.next()
    )
    request.peer = address?.ipAddress
    request.forwardedPeer = forwarded?.ipAddress
    if responder.service.settings.isBehindProxy {
      if let id = TraceFields.requestID(fields[.requestID]) { request.id = id }
      request.traceParent = TraceFields.traceParent(fields[.traceParent])
    }
    self.request = request
    peer = Peer(forwarded ?? address)
    self.channel = channel
  }

  /// The parser accepts only methods that it knows; another one would be answered like these.
  private static let unknownMethod = HTTPRequest.Method.trace

  /// The first `Host`, and all other fields.
  private static func fields(of head: HTTPRequestHead) -> (host: String?, HTTPFields) {
    var host: String?
    var fields = HTTPFields()
    fields.reserveCapacity(head.headers.count)
    for (name, value) in head.headers {
      if host == nil, name.utf8.isEqualIgnoringCase("host") {
        host = value
      } else if let name = HTTPField.Name(name) {
        fields.append(HTTPField(name: name, value: value))
      }
    }
    return (host, fields)
  }
}

extension [UInt8] {
  /// Appends the head of an answer.
  ///
  /// For one piece with a small body: NIO's encoder, which writes fields, body and end apart, took a tenth of
  /// the instructions of an answer.
  mutating func appendHead(of response: ServiceResponse, date: String, isLast: Bool) {
    append(contentsOf: "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)".utf8)
    for field in response.fields { appendField(field.name.rawName, field.value) }
    appendField("Date", date)
    // RFC 9110 §8.6
    if response.status.mayHaveBody { appendField("Content-Length", String(response.body.count)) }
    if isLast { appendField("Connection", "close") }
    append(contentsOf: "\r\n\r\n".utf8)
  }

  private mutating func appendField(_ name: String, _ value: String) {
    append(contentsOf: "\r\n".utf8)
    append(contentsOf: name.utf8)
    append(contentsOf: ": ".utf8)
    append(contentsOf: value.utf8)
  }
}

extension HTTPResponse.Status {
  /// Whether an answer with it has a body, and so a length (RFC 9110 §6.4.1).
  fileprivate var mayHaveBody: Bool {
    kind != .informational && self != .noContent && self != .notModified
  }
}

/// The checks of header fields that join a request to those of other programs.
///
/// Only what a proxy in front sends is taken over: other clients could fill the log with ids of
/// their choice.
enum TraceFields {
  /// An `X-Request-Id` that can be taken over: 1 to 128 visible ASCII characters without quotes,
  /// backslashes and commas.
  static func requestID(_ text: String?) -> String? {
    guard let text, (1...128).contains(text.utf8.count) else { return nil }
    let isPlain = text.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && !"\"\\,<>".utf8.contains(byte)
    }
    return isPlain ? text : nil
  }

  /// A valid `traceparent` (W3C, Trace Context, §3.2).
  ///
  /// Version, trace id, parent id and flags are lower-case hexadecimal digits. Versions after 00 may
  /// be longer; ff and ids of zeros are invalid.
  static func traceParent(_ text: String?) -> String? {
    guard let text, text.utf8.count >= 55, text.utf8.count <= 128 else { return nil }
    let bytes = Array(text.utf8)
    let parts = bytes.prefix(55)
      .split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 32, 16, 2], parts.allSatisfy({ $0.allSatisfy(\.isLowerHex) }),
      !parts[0].elementsEqual("ff".utf8), parts[1...2].allSatisfy({ $0.contains { $0 != 0x30 } })
    else { return nil }
    if bytes.count == 55 { return text }
    let isLater = !parts[0].elementsEqual("00".utf8) && bytes[55] == UInt8(ascii: "-")
    return isLater && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
      ? text : nil
  }
}

/// Gives each request an id: the start of the process and a number.
final class RequestIDs: Sendable {
  private let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
  private let count = NIOLockedValueBox(0)

  func next() -> String {
    let number = count.withLockedValue { count in
      count += 1
      return count
    }
    return "\(prefix)-\(number)"
  }
}

/// The time for the field `Date` of answers, formatted once a second (RFC 9110, 5.6.7).
final class HTTPDate: Sendable {
  private let last = NIOLockedValueBox<(second: time_t, text: String)>((-1, ""))

  /// The current second.
  func now() -> String {
    let second = time(nil)
    return last.withLockedValue { last in
      if last.second != second { last = (second, Self.text(of: second)) }
      return last.text
    }
  }

  /// A second since 1970, formatted like `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///
  /// The names are English in the locale "C", which a process has unless it chooses another one.
  static func text(of second: time_t) -> String {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

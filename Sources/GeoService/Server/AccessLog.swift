import Dispatch
import Foundation
import GeoQuery
import HTTPTypes
import NIOConcurrencyHelpers

/// One JSON line per request on standard error.
///
/// Text from clients is truncated and escaped, and a query with a token is omitted. Lines are
/// written in the background in batches; if nothing reads them, they are dropped and counted.
final class AccessLog: Sendable {
  private static let maximumBacklog = 1 << 22

  private struct State {
    var pending: [UInt8] = []
    var dropped = 0
    var isScheduled = false
  }

  private struct Refusals {
    var count = 0
    var lastNote: ContinuousClock.Instant?
  }

  private let state = NIOLockedValueBox(State())
  private let refusals = NIOLockedValueBox(Refusals())
  private let queue = DispatchQueue(label: "geoq.log")
  private let isEnabled: Bool

  init(isEnabled: Bool) {
    self.isEnabled = isEnabled
  }

  /// Logs an answered request.
  func note(
    _ response: ServiceResponse,
    to request: ServiceRequest,
    method: String,
    seconds: Double
  ) {
    guard isEnabled || response.isFault else { return }
    var json = JSONWriter()
    let milliseconds = (seconds * 1_000_000).rounded() / 1_000
    json.raw("{\"time\":\(Self.now),\"level\":\"\(response.isFault ? "error" : "info")\"")
    json.raw(",\"id\":\"\(request.id)\"")
    if let trace = request.traceParent { json.raw(",\"traceparent\":\"\(trace)\"") }
    if let peer = request.peer { json.raw(",\"peer\":\"\(peer)\"") }
    if let forwarded = request.forwardedPeer { json.raw(",\"forwarded\":\"\(forwarded)\"") }
    json.raw(",\"method\":\"\(method)\",\"route\":")
    json.string(response.route)
    json.raw(",\"target\":")
    json.string(Self.shown(request.target))
    json.raw(",\"status\":\(response.status.code),\"bytes\":\(response.body.count)")
    json.raw(",\"ms\":\(milliseconds)")
    if let hits = response.hits { json.raw(",\"hits\":\(hits)") }
    if let cause = response.cause {
      json.raw(",\"cause\":")
      json.string(cause)
    }
    json.raw("}\n")
    add(json.bytes)
  }

  /// A target as it is logged: its beginning, ASCII only, without a token.
  static func shown(_ target: String) -> String {
    let start = target.utf8.prefix(longestTarget)
    let token = tokenStart(in: start)
    let plain = start.prefix(token ?? start.count).map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }
    return String(decoding: plain, as: UTF8.self)
      + (token == nil && target.utf8.count > longestTarget ? "\u{2026}" : "")
  }

  private static let longestTarget = 256

  /// The offset of the first parameter that has `token` in its name; nil if there is none.
  ///
  /// It is found in any part of an address, in any case, and with escapes, even escaped ones:
  /// clients misspell addresses, and a token must not be logged because of that. What follows it
  /// is not logged either, because a token may contain any character.
  private static func tokenStart(in target: Substring.UTF8View) -> Int? {
    var decoded: [(byte: UInt8, offset: Int)] = []
    for (offset, byte) in target.enumerated() {
      decoded.append((byte.lowercased, offset))
      // an escape may end another one
      while let byte = PercentCoding.escape(decoded.suffix(3).map(\.byte)) {
        let start = decoded[decoded.count - 3].offset
        decoded.removeLast(3)
        decoded.append((byte.lowercased, start))
      }
    }
    var name: [UInt8] = []
    var start = 0
    for (byte, offset) in decoded {
      switch byte {
      case UInt8(ascii: "="):
        // the slash before a path stays
        if name.contains("token".utf8) { return max(start, 1) }
      case UInt8(ascii: "/"): (name, start) = ([], offset + 1)
      case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"):
        (name, start) = ([], offset)
      default: name.append(byte)
      }
    }
    return nil
  }

  /// Logs an event of the service; an event that is not a failure only if requests are logged.
  func note(event: String, isFailure: Bool, _ members: [(name: String, value: JSONValue)] = []) {
    guard isEnabled || isFailure else { return }
    var json = JSONWriter()
    json.raw("{\"time\":\(Self.now),\"level\":\"\(isFailure ? "error" : "info")\",\"event\":")
    json.string(event)
    for (name, value) in members {
      json.raw(",")
      json.name(name)
      json.value(value)
    }
    json.raw("}\n")
    add(json.bytes)
  }

  /// Logs a refused connection; at most one line a second.
  func noteRefusedConnection(from peer: String) {
    let count: Int? = refusals.withLockedValue { refusals in
      refusals.count += 1
      let now = ContinuousClock.now
      if let last = refusals.lastNote, last.duration(to: now) < .seconds(1) { return nil }
      defer { refusals = Refusals(lastNote: now) }
      return refusals.count
    }
    guard let count else { return }
    note(
      event: "refused connection",
      isFailure: false,
      [("peer", .string(peer)), ("count", .number("\(count)"))]
    )
  }

  /// Writes the pending lines now.
  func flush() {
    queue.sync { writePending() }
  }

  private static var now: Double { (Date().timeIntervalSince1970 * 1_000).rounded() / 1_000 }

  private func add(_ line: [UInt8]) {
    let isFirst = state.withLockedValue { state in
      guard state.pending.count < Self.maximumBacklog else {
        state.dropped += 1
        return false
      }
      state.pending += line
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst {
      queue.asyncAfter(deadline: .now() + .milliseconds(20)) { self.writePending() }
    }
  }

  private func writePending() {
    let (bytes, dropped) = state.withLockedValue { state in
      defer { state = State() }
      return (state.pending, state.dropped)
    }
    let note =
      dropped > 0
      ? Array(
        "{\"time\":\(Self.now),\"level\":\"warning\",\"event\":\"log\",\"dropped\":\(dropped)}\n"
          .utf8
      ) : []
    try? FileHandle.standardError.write(contentsOf: Data(bytes + note))
  }
}

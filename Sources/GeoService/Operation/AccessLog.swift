import Dispatch
import Foundation
import GeoQuery
import HTTPTypes
import NIOConcurrencyHelpers

/// One JSON line a request on standard error.
///
/// A line says what was asked by the route's name, never by the client's own words. Lines are written
/// behind the requests' backs, some at a time; where nobody reads them, they are dropped and counted.
final class AccessLog: Sendable {
  private static let greatestBacklog = 1 << 22

  private struct State {
    var pending: [UInt8] = []
    var dropped = 0
    var isScheduled = false
  }

  private let state = NIOLockedValueBox(State())
  private let queue = DispatchQueue(label: "geoq.log")
  private let isEnabled: Bool

  init(isEnabled: Bool) {
    self.isEnabled = isEnabled
  }

  /// Notes an answered request.
  func note(_ response: ServiceResponse, method: String, id: String, seconds: Double) {
    guard isEnabled else { return }
    var json = JSONText()
    let milliseconds = (seconds * 1_000_000).rounded() / 1_000
    json.raw("{\"time\":\(Self.now),\"id\":\"\(id)\",\"method\":\"\(method)\",\"route\":")
    json.string(response.route)
    json.raw(",\"status\":\(response.status.code),\"ms\":\(milliseconds)")
    if let hits = response.hits { json.raw(",\"hits\":\(hits)") }
    json.raw("}\n")
    add(json.bytes)
  }

  /// Notes an event of the service itself; one that is no failure only where requests are noted too.
  func note(event: String, isFailure: Bool, _ members: [(name: String, value: String)] = []) {
    guard isEnabled || isFailure else { return }
    var json = JSONText()
    json.raw("{\"time\":\(Self.now),\"event\":")
    json.string(event)
    for (name, value) in members {
      json.raw(",")
      json.name(name)
      json.string(value)
    }
    json.raw("}\n")
    add(json.bytes)
  }

  /// Writes what is pending, now.
  func flush() {
    queue.sync { writePending() }
  }

  private static var now: Double { (Date().timeIntervalSince1970 * 1_000).rounded() / 1_000 }

  private func add(_ line: [UInt8]) {
    let isFirst = state.withLockedValue { state in
      guard state.pending.count < Self.greatestBacklog else {
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
    let note = dropped > 0 ? Array("{\"event\":\"log\",\"dropped\":\(dropped)}\n".utf8) : []
    try? FileHandle.standardError.write(contentsOf: Data(bytes + note))
  }
}

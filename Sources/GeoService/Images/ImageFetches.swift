import Foundation
import NIOConcurrencyHelpers

/// Fetches images: each address once, even if many clients ask for it, and a few addresses at a
/// time.
///
/// It has its own threads, so that a slow host delays no query.
final class ImageFetches: Sendable {
  typealias Fetch = @Sendable (WebAddress) throws -> [UInt8]

  /// The result for an image.
  enum Outcome: Sendable {
    case image(ServedImage)
    /// There is no image.
    case missing
    /// Too many addresses are waiting.
    case busy
  }

  typealias Completion = @Sendable (Outcome) -> Void

  private struct State {
    var askers: [WebAddress: [Completion]] = [:]
    /// Addresses that wait for a thread, the next one at the end.
    var queue: [WebAddress] = []
    var threads = 0
    var failures: [WebAddress: ContinuousClock.Instant] = [:]
  }

  private let cache: ImageCache
  private let failureSeconds: Int64
  private let fetch: Fetch
  private let note: @Sendable (WebAddress, String) -> Void
  private let state = NIOLockedValueBox(State())

  init(
    into cache: ImageCache,
    failureSeconds: Int64 = ImageLimits.failureSeconds,
    note: @escaping @Sendable (WebAddress, String) -> Void,
    fetch: @escaping Fetch
  ) {
    self.cache = cache
    self.failureSeconds = failureSeconds
    self.note = note
    self.fetch = fetch
  }

  /// Whether a fetch is running.
  var isBusy: Bool { state.withLockedValue { $0.threads > 0 } }

  /// Whether an address has failed recently.
  func hasFailed(_ address: WebAddress) -> Bool {
    state.withLockedValue { state in
      guard let end = state.failures[address] else { return false }
      if end > .now { return true }
      state.failures[address] = nil
      return false
    }
  }

  /// Finds the image of an allowed address in the cache, or fetches it; calls back once, now or
  /// later on a thread that fetches.
  func find(_ address: WebAddress, _ completion: @escaping Completion) {
    if let image = cache.image(of: address) { return completion(.image(image)) }
    if hasFailed(address) { return completion(.missing) }
    let outcome: Outcome? = state.withLockedValue { state in
      if state.askers[address] != nil {
        state.askers[address]?.append(completion)
        return nil
      }
      if state.queue.count >= ImageLimits.waiting { return .busy }
      state.askers[address] = [completion]
      state.queue.insert(address, at: 0)
      if state.threads < ImageLimits.fetches {
        state.threads += 1
        Thread.detachNewThread { self.work() }
      }
      return nil
    }
    if let outcome { completion(outcome) }
  }

  /// Fetches waiting addresses until there are none.
  private func work() {
    while let address = next() {
      let outcome = result(of: address)
      let askers = state.withLockedValue { state in
        if case .missing = outcome { remember(address, &state.failures) }
        return state.askers.removeValue(forKey: address) ?? []
      }
      for completion in askers { completion(outcome) }
    }
  }

  private func next() -> WebAddress? {
    state.withLockedValue { state in
      let address = state.queue.popLast()
      if address == nil { state.threads -= 1 }
      return address
    }
  }

  private func result(of address: WebAddress) -> Outcome {
    // another fetch may have stored it since the request looked
    if let image = cache.image(of: address) { return .image(image) }
    if hasFailed(address) { return .missing }
    do {
      let bytes = try fetch(address)
      guard let image = ServedImage(bytes, isOwn: false) else {
        note(address, "this is not a PNG, JPEG, GIF or WebP image within the limits")
        return .missing
      }
      do {
        try cache.keep(image, of: address)
      } catch {
        note(address, "\(error)")
      }
      return .image(image)
    } catch {
      note(address, "\(error)")
      return .missing
    }
  }

  private func remember(
    _ address: WebAddress,
    _ failures: inout [WebAddress: ContinuousClock.Instant]
  ) {
    let now = ContinuousClock.now
    if failures.count >= ImageLimits.failures { failures = failures.filter { $0.value > now } }
    if failures.count >= ImageLimits.failures { failures = [:] }
    failures[address] = now + .seconds(failureSeconds)
  }
}

/// A host that images may be fetched from, as the operator lists it: `a.example`,
/// `a.example:8443`, or `http://a.example` for one without https.
package struct ImageHost: Hashable, Sendable {
  private let name: String
  private let port: Int?
  private let allowsPlain: Bool

  /// Parses a host; nil if the text is not one.
  package init?(_ text: String) {
    let bytes = text.utf8.prefix(300)
    let isPlain = bytes.starts(with: "http://".utf8)
    let scheme = isPlain ? 7 : bytes.starts(with: "https://".utf8) ? 8 : 0
    guard text.utf8.count < 300, let place = HostAndPort(bytes.dropFirst(scheme)) else {
      return nil
    }
    name = place.name
    port = place.port
    allowsPlain = isPlain
  }

  /// Whether an address has this host.
  package func includes(_ address: WebAddress) -> Bool {
    address.host == name && (address.isSecure || allowsPlain)
      && address.port == port ?? (address.isSecure ? 443 : 80)
  }
}

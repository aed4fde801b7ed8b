import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import GeoService

/// One fetch for all who ask, and a few at a time.
struct ImageFetchesTests {
  private let folder: ImageTestFolder
  private let cache: ImageCache

  init() throws {
    folder = try ImageTestFolder()
    cache = try #require(ImageCache(folder.path, maximumBytes: 1_000_000))
  }

  private func address(_ number: Int) throws -> WebAddress {
    try #require(WebAddress("https://a.example/\(number)"))
  }

  /// What one asker is told.
  private func outcome(_ fetches: ImageFetches, _ address: WebAddress) async -> String {
    await withCheckedContinuation { continuation in
      fetches.find(address) { outcome in
        switch outcome {
        case .image: continuation.resume(returning: "image")
        case .missing: continuation.resume(returning: "missing")
        case .busy: continuation.resume(returning: "busy")
        }
      }
    }
  }

  /// How many fetches have begun, and how many ran side by side at most.
  private struct Counts {
    var begun = 0
    var running = 0
    var most = 0
  }

  private struct Broken: Error {}

  @Test func `a hundred who ask at once have one fetch`() async throws {
    let counts = NIOLockedValueBox(Counts())
    let gate = DispatchSemaphore(value: 0)
    let fetch: ImageFetches.Fetch = { _ in
      counts.withLockedValue { $0.begun += 1 }
      gate.wait()
      return SampleImages.png()
    }
    let fetches = ImageFetches(into: cache, note: { _, _ in }, fetch: fetch)
    let address = try address(1)
    let told = NIOLockedValueBox(0)
    for _ in 0..<100 {
      fetches.find(address) { outcome in
        if case .image = outcome { told.withLockedValue { $0 += 1 } }
      }
    }
    gate.signal()
    #expect(await outcome(fetches, address) == "image")
    while fetches.isBusy { try await Task.sleep(for: .milliseconds(1)) }
    #expect(told.withLockedValue { $0 } == 100)
    #expect(counts.withLockedValue { $0.begun } == 1)
    // later too: it is on the disk
    #expect(await outcome(fetches, address) == "image")
    #expect(counts.withLockedValue { $0.begun } == 1)
  }

  @Test func `a few addresses are fetched at a time, and some wait`() async throws {
    let counts = NIOLockedValueBox(Counts())
    let gate = DispatchSemaphore(value: 0)
    let fetch: ImageFetches.Fetch = { _ in
      counts.withLockedValue { counts in
        counts.running += 1
        counts.most = max(counts.most, counts.running)
      }
      gate.wait()
      counts.withLockedValue { $0.running -= 1 }
      return SampleImages.png()
    }
    let fetches = ImageFetches(into: cache, note: { _, _ in }, fetch: fetch)
    let results = NIOLockedValueBox<[String: Int]>([:])
    let all = 200
    for number in 0..<all {
      fetches.find(try address(number)) { outcome in
        results.withLockedValue { results in
          if case .busy = outcome {
            results["busy", default: 0] += 1
          } else {
            results["image", default: 0] += 1
          }
        }
      }
    }
    for _ in 0..<all { gate.signal() }
    while fetches.isBusy { try await Task.sleep(for: .milliseconds(1)) }
    let found = results.withLockedValue { $0 }
    #expect(counts.withLockedValue { $0.most } <= ImageLimits.fetches)
    #expect(found["image", default: 0] + found["busy", default: 0] == all)
    #expect(found["image", default: 0] >= ImageLimits.waiting)
    #expect(found["image", default: 0] <= ImageLimits.waiting + 2 * ImageLimits.fetches)
  }

  @Test func `a failure is remembered, and its reason told once`() async throws {
    let counts = NIOLockedValueBox(Counts())
    let reasons = NIOLockedValueBox<[String]>([])
    let fetch: ImageFetches.Fetch = { address in
      counts.withLockedValue { $0.begun += 1 }
      if address.text.hasSuffix("/1") { throw Broken() }
      return Array("<svg/>".utf8)
    }
    let note: @Sendable (WebAddress, String) -> Void = { _, reason in
      reasons.withLockedValue { $0.append(reason) }
    }
    // a day: a busy machine may take minutes for this
    let fetches = ImageFetches(into: cache, failureSeconds: 86_400, note: note, fetch: fetch)
    for number in [1, 2] {
      for _ in 0..<5 { #expect(await outcome(fetches, try address(number)) == "missing") }
      #expect(fetches.hasFailed(try address(number)))
    }
    #expect(counts.withLockedValue { $0.begun } == 2)
    #expect(reasons.withLockedValue { $0.count } == 2)
    #expect(!fetches.hasFailed(try address(3)))
    #expect(folder.names.isEmpty)
  }
}

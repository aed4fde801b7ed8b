import NIOPosix
import ServiceLifecycle

/// Looks at the database again and again, beside the requests.
struct WatchService: Service {
  let path: String
  let interval: Duration
  let service: RestaurantService
  let log: AccessLog

  private static let looksBetweenCleanings = 10

  func run() async throws {
    let watch = StoreWatch(path: path, live: service.live)
    // a thread of its own: reading a store must not take one from requests
    let thread = NIOThreadPool(numberOfThreads: 1)
    thread.start()
    defer { watch.close() }
    var lastProblem: String?
    var looks = 0
    while !Task.isCancelled, !Task.isShuttingDownGracefully {
      do {
        if let generation = try await thread.runIfActive({ try watch.look() }) {
          service.metrics.reloaded(isFailed: false)
          log.note(event: "reload", isFailure: false, [("generation", "\(generation)")])
        }
        lastProblem = nil
      } catch {
        // said once: a store that stays away would fill the log
        let problem = "\(error)"
        if problem != lastProblem {
          service.metrics.reloaded(isFailed: true)
          log.note(event: "reload failed", isFailure: true, [("reason", problem)])
        }
        lastProblem = problem
      }
      looks += 1
      if looks.isMultiple(of: Self.looksBetweenCleanings) { FreeMemory.giveBack() }
      await pause()
    }
    try? await thread.shutdownGracefully()
  }

  private func pause() async {
    let interval = interval
    await cancelWhenGracefulShutdown { try? await Task.sleep(for: interval) }
  }
}

import GeoQuery
import ServiceLifecycle

/// Looks at the database again and again, beside the requests.
struct WatchService: Service {
  let path: String
  let interval: Duration
  let service: RestaurantService
  let log: AccessLog

  func run() async throws {
    let watch = StoreWatch(path: path, live: service.live)
    defer { watch.close() }
    var lastProblem: String?
    while !Task.isCancelled, !Task.isShuttingDownGracefully {
      do {
        if let generation = try watch.look() {
          service.metrics.reloaded(isFailed: false)
          log.note(event: "reload", [("generation", "\(generation)")])
        }
        lastProblem = nil
      } catch {
        // said once: a store that stays away would fill the log
        let problem = "\(error)"
        if problem != lastProblem {
          service.metrics.reloaded(isFailed: true)
          log.note(event: "reload failed", [("reason", problem)])
        }
        lastProblem = problem
      }
      await pause()
    }
  }

  private func pause() async {
    let interval = interval
    await cancelWhenGracefulShutdown { try? await Task.sleep(for: interval) }
  }
}

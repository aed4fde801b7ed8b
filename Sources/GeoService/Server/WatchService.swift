import GeoQuery
import GeoStore
import NIOPosix

/// Checks the store for imports periodically, and each snapshot for damage once.
struct WatchService: Sendable {
  let place: StorePlace
  let service: RestaurantService
  let log: AccessLog

  private static let interval = Duration.milliseconds(200)
  private static let looksBetweenCleanings = 50

  /// Checks until the task is cancelled.
  func run() async {
    let watch = StoreWatch(place, live: service.live)
    // separate threads, so that opening and checking do not use those for requests
    let thread = NIOThreadPool(numberOfThreads: 1)
    let checkThread = NIOThreadPool(numberOfThreads: 1)
    thread.start()
    checkThread.start()
    defer { watch.close() }
    var lastProblem: String?
    var looks = 0
    var checked: ServedGeneration?
    while !Task.isCancelled {
      do {
        if let generation = try await thread.runIfActive({ try watch.look(notice: note) }) {
          service.metrics.reloaded(isFailed: false)
          log.note(event: "reload", isFailure: false, [("generation", .number("\(generation)"))])
        }
        if lastProblem != nil { log.note(event: "store is back", isFailure: false) }
        lastProblem = nil
      } catch is CancellationError {
        break
      } catch {
        // logged once: a store that stays away would fill the log
        let problem = "\(error)"
        if problem != lastProblem {
          service.metrics.reloaded(isFailed: true)
          log.note(event: "reload failed", isFailure: true, [("reason", .string(problem))])
        }
        lastProblem = problem
      }
      if checked !== service.live.current {
        checked = service.live.current
        checkThread.submit { state in if state == .active { check(watch) } }
      }
      looks += 1
      if looks.isMultiple(of: Self.looksBetweenCleanings) { MallocTrim.run() }
      try? await Task.sleep(for: Self.interval)
    }
    try? await thread.shutdownGracefully()
    // does not wait for a running check, because the process ends
    checkThread.shutdownGracefully { _ in }
  }

  /// Checks the snapshot that is being served, once.
  @Sendable
  private func check(_ watch: StoreWatch) {
    do {
      if try watch.check(notice: note) { service.metrics.reloaded(isFailed: false) }
    } catch {
      service.metrics.reloaded(isFailed: true)
      log.note(event: "repair failed", isFailure: true, [("reason", .string("\(error)"))])
    }
  }

  @Sendable
  private func note(_ problem: String) {
    log.note(event: "damaged index", isFailure: true, [("reason", .string(problem))])
  }
}

import Foundation
import GeoIndex
import GeoQuery
import NIOConcurrencyHelpers

/// Counts requests and events, and writes the counts as Prometheus text.
final class ServiceMetrics: Sendable {
  /// The upper bounds of the histogram's buckets, in seconds.
  static let buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]

  private struct Key: Hashable {
    let route: String
    let method: String
    let status: Int
  }

  private struct Histogram {
    var counts = [Int](repeating: 0, count: ServiceMetrics.buckets.count + 1)
    var sum = 0.0

    mutating func add(_ seconds: Double, to bucket: Int) {
      counts[bucket] += 1
      sum += seconds
    }
  }

  private struct State {
    var requests: [Key: Histogram] = [:]
    var active = 0
    var reloads = 0
    var failedReloads = 0
    var protocolErrors = 0
    var refusedConnections = 0
  }

  private let state = NIOLockedValueBox(State())

  /// Counts the start of a request.
  func begin() { state.withLockedValue { $0.active += 1 } }

  /// Counts a request without an answer, because its connection broke.
  func abandon() { state.withLockedValue { $0.active -= 1 } }

  /// Counts an answered request.
  func end(route: String, method: String, status: Int, seconds: Double) {
    let bucket = Self.buckets.firstIndex { seconds <= $0 } ?? Self.buckets.count
    let key = Key(route: route, method: method, status: status)
    state.withLockedValue { state in
      state.active -= 1
      state.requests[key, default: Histogram()].add(seconds, to: bucket)
    }
  }

  /// Counts a new generation, or one that could not be served.
  func reloaded(isFailed: Bool) {
    state.withLockedValue { state in
      if isFailed { state.failedReloads += 1 } else { state.reloads += 1 }
    }
  }

  /// Counts a request that violated the protocol.
  func protocolError() { state.withLockedValue { $0.protocolErrors += 1 } }

  func refusedConnection() { state.withLockedValue { $0.refusedConnections += 1 } }

  /// The text, including figures of the current data and of the resources in use.
  func text(
    of generation: ServedGeneration,
    staleness: Duration?,
    version: String,
    _ quotas: Quotas
  ) -> String {
    let state = state.withLockedValue { $0 }
    let snapshot = generation.snapshot
    var text = """
      # HELP \(Self.duration) How long requests took.
      # TYPE \(Self.duration) histogram

      """
    let requests = state.requests.map { (label: Self.label($0.key), histogram: $0.value) }
    for (label, histogram) in requests.sorted(by: { $0.label < $1.label }) {
      Self.append(histogram, label, to: &text)
    }
    let used = ProcessUsage()
    let figures: [(name: String, help: String, value: String)] = [
      ("geoq_build_info{version=\"\(version)\"}", "The program; always 1.", "1"),
      ("http_server_active_requests", "Requests being answered.", "\(state.active)"),
      ("geoq_generation", "The generation being served.", "\(generation.number)"),
      (
        "geoq_staleness_seconds",
        "How long ago the data was last known to be current; 0 while it is.",
        "\(staleness?.components.seconds ?? 0)"
      ),
      ("geoq_restaurants", "Restaurants being served.", "\(snapshot.count)"),
      ("geoq_index_bytes", "Bytes of the index.", "\(snapshot.tree.byteCount)"),
      ("geoq_mapped_bytes", "Bytes of the mapped snapshot.", "\(snapshot.byteCount)"),
      ("geoq_reloads_total", "Generations that the service began to serve.", "\(state.reloads)"),
      (
        "geoq_failed_reloads_total", "Generations that could not be served.",
        "\(state.failedReloads)"
      ),
      ("geoq_connections", "Open connections.", "\(quotas.connections.used)"),
      ("geoq_refused_connections_total", "Connections refused.", "\(state.refusedConnections)"),
      (
        "geoq_protocol_errors_total", "Requests that violated the protocol.",
        "\(state.protocolErrors)"
      ),
      ("geoq_queries", "Queries running or waiting.", "\(quotas.queries.used)"),
      ("geoq_plans", "Plans being made or waiting.", "\(quotas.plans.used)"),
      ("geoq_body_bytes", "Bytes of request bodies in memory.", "\(quotas.bodies.used)"),
      ("geoq_unsent_bytes", "Bytes of large answers not sent yet.", "\(quotas.unsent.used)"),
      ("process_resident_memory_bytes", "Resident memory.", "\(used.residentBytes)"),
      ("process_cpu_seconds_total", "Processor time.", "\(used.processorSeconds)"),
      ("process_open_fds", "Open file descriptors.", "\(used.descriptors)"),
      ("process_start_time_seconds", "The start of the process.", "\(ProcessUsage.start)"),
    ]
    for figure in figures {
      let family = figure.name.prefix { $0 != "{" }
      let type = family.hasSuffix("_total") ? "counter" : "gauge"
      text += """
        # HELP \(family) \(figure.help)
        # TYPE \(family) \(type)
        \(figure.name) \(figure.value)

        """
    }
    return text
  }

  private static let duration = "http_server_request_duration_seconds"
  private static let edges = (buckets.map(\.description) + ["+Inf"]).map { ",le=\"\($0)\"} " }

  private static func label(_ key: Key) -> String {
    "http_route=\"\(key.route)\",http_request_method=\"\(key.method)\","
      + "http_response_status_code=\"\(key.status)\""
  }

  /// Appends the lines of a histogram, piece by piece: an event loop makes thousands of them.
  private static func append(_ histogram: Histogram, _ label: String, to text: inout String) {
    var total = 0
    for (edge, count) in zip(edges, histogram.counts) {
      total += count
      for piece in [duration, "_bucket{", label, edge, String(total), "\n"] { text += piece }
    }
    text += """
      \(duration)_sum{\(label)} \(histogram.sum)
      \(duration)_count{\(label)} \(total)

      """
  }
}

/// The resources in use by the process; 0 if the system does not say.
struct ProcessUsage {
  /// The start of the process, in seconds since 1970.
  static let start = (Date().timeIntervalSince1970 - age).rounded()

  /// For how many seconds the process has been running; 0 if the system does not say.
  private static var age: Double {
    #if os(Linux)
    // the command's name, in parentheses, may contain blanks; the start is field 22, the name field 2
    let fields = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8))?
      .split(separator: ")").last?.split(separator: " ")
    var now = timespec()
    guard let fields, fields.count > 19, let ticks = Double(fields[19]),
      clock_gettime(CLOCK_BOOTTIME, &now) == 0
    else { return 0 }
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - ticks
      / Double(sysconf(Int32(_SC_CLK_TCK)))
    #else
    return 0
    #endif
  }

  /// The resident memory in bytes, including pages of mapped files.
  let residentBytes: Int

  /// The processor time of all threads, in seconds.
  let processorSeconds: Double

  /// The number of open file descriptors.
  let descriptors: Int

  init() {
    processorSeconds = Double(clock()) / 1_000_000
    #if os(Linux)
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    residentBytes = (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    var folder = stat()
    if stat("/proc/self/fd", &folder) == 0, folder.st_size > 0 {
      // since Linux 6.2 its size is their number, which a listing would take long to find
      descriptors = folder.st_size
    } else {
      // the listing itself uses one
      let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      descriptors = max(0, (files?.count ?? 1) - 1)
    }
    #else
    residentBytes = 0
    descriptors = 0
    #endif
  }
}

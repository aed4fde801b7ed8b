import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the process has in use; 0 where the system does not say.
struct ProcessUsage {
  /// When the process began, in seconds since 1970.
  static let start = Date().timeIntervalSince1970.rounded()

  /// Bytes of memory, pages of mapped files included.
  let residentBytes: Int

  /// Seconds of processor time, all threads together.
  let processorSeconds: Double

  /// Open file descriptors.
  let descriptors: Int

  init() {
    processorSeconds = Double(clock()) / 1_000_000
    #if os(Linux)
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    residentBytes = (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    // the listing itself takes one
    let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    descriptors = max(0, (files?.count ?? 1) - 1)
    #else
    residentBytes = 0
    descriptors = 0
    #endif
  }
}

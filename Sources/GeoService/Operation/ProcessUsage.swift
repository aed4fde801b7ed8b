import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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

import GeoFeed
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The identity of a file: equal for two paths or descriptors of the same file.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file at a path; nil if there is none or it is not accessible.
  package init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// The file that is open; nil for a descriptor that is not.
  init?(_ descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  fileprivate init(_ facts: stat) {
    device = UInt64(truncatingIfNeeded: facts.st_dev)
    number = UInt64(truncatingIfNeeded: facts.st_ino)
  }
}

/// The state of a file: differs after a change of its contents, or if another file has replaced it.
struct FileState: Equatable {
  private let file: FileIdentity
  private let size: Int
  private let seconds: [Int]
  private let nanoseconds: [Int]
  private let counter: [UInt8]?

  /// - Parameters:
  ///   - path: The file; the result is nil if there is none or it is not accessible.
  ///   - counter: A counter that the file's writers increase, which detects changes within a tick
  ///     of the file system's clock.
  init?(_ path: String, counter: [UInt8]?) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    #if canImport(Darwin)
    let times = [facts.st_mtimespec, facts.st_ctimespec]
    #else
    let times = [facts.st_mtim, facts.st_ctim]
    #endif
    file = FileIdentity(facts)
    size = Int(facts.st_size)
    seconds = times.map { Int($0.tv_sec) }
    nanoseconds = times.map { Int($0.tv_nsec) }
    self.counter = counter
  }
}

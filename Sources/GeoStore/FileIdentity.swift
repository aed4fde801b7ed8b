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

  private init(_ facts: stat) {
    device = UInt64(truncatingIfNeeded: facts.st_dev)
    number = UInt64(truncatingIfNeeded: facts.st_ino)
  }
}

import GeoFeed
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Which file a path or a descriptor leads to: two that are equal lead to one file.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file at the end of a path; nil where there is none, or it may not be looked at.
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

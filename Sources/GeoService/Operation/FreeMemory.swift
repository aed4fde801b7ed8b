#if canImport(Glibc)
import Glibc
#endif

/// Memory that the allocator keeps for later.
///
/// After a flood of bodies that are a hundred megabytes, spread over the arenas of all threads, which
/// glibc gives back only if it is asked to.
enum FreeMemory {
  #if canImport(Glibc)
  private typealias Trim = @convention(c) (Int) -> Int32

  // Swift's module of the C library leaves malloc.h out
  private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }
  #endif

  /// Gives it back to the system.
  static func giveBack() {
    #if canImport(Glibc)
    _ = trim?(0)
    #endif
  }
}

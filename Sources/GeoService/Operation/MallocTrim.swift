#if canImport(Glibc)
import Glibc
#endif

/// Returns unused memory of the allocator to the system.
///
/// After a flood of large bodies, hundreds of megabytes are left in the arenas of all threads,
/// which glibc returns only when `malloc_trim` is called.
enum MallocTrim {
  #if canImport(Glibc)
  private typealias Trim = @convention(c) (Int) -> Int32
  private typealias Option = @convention(c) (Int32, Int32) -> Int32

  // malloc.h is not in Swift's module of the C library
  private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }
  private static let option = dlsym(nil, "mallopt").map { unsafeBitCast($0, to: Option.self) }

  /// `M_MMAP_THRESHOLD` of malloc.h.
  private static let mappingOption: Int32 = -3

  /// The size in bytes from which a block is returned to the system as soon as it is freed.
  private static let minimumMapping: Int32 = 1 << 20
  #endif

  /// Makes the allocator return large blocks to the system as soon as they are freed.
  ///
  /// By default glibc raises this threshold, up to 32 MB, with each large block that is freed, and
  /// then keeps the memory of past answers and plans: a quarter of all memory in an attack.
  static func returnLargeBlocks() {
    #if canImport(Glibc)
    _ = option?(mappingOption, minimumMapping)
    #endif
  }

  /// Returns unused memory to the system.
  static func run() {
    #if canImport(Glibc)
    _ = trim?(0)
    #endif
  }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The memory of a tree: a block allocated here, or a file mapped into memory.
///
/// `@unchecked Sendable`: only the builder writes to it, before it is shared.
final class TreeStorage: @unchecked Sendable {
  /// The first byte, aligned to a page at least.
  let base: UnsafeMutableRawPointer

  let byteCount: Int

  let isMapped: Bool

  /// The checksums of the tree's sections in the header of its file; nil if it is not from a file.
  let treeChecksums: [UInt64]?

  /// Whether the block is pages of the system's own, file or not.
  private let isPages: Bool

  /// Above this size a block is laid on large pages: fewer misses of the address cache.
  private static let largePage = 2 << 20

  /// A block of zero bytes.
  init(byteCount: Int) {
    self.byteCount = byteCount
    isMapped = false
    treeChecksums = nil
    isPages = byteCount >= 2 * Self.largePage
    if isPages {
      base = Self.pages(byteCount)
    } else {
      base = .allocate(byteCount: byteCount, alignment: TreeLayout.alignment)
      base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }
  }

  /// Pages of zeros, which the system makes when they are first touched, by whichever thread.
  private static func pages(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let flags = MAP_PRIVATE | MAP_ANON
    guard let base = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED
    else {
      preconditionFailure("There is no memory for an index of \(byteCount) bytes.")
    }
    #if os(Linux)
    // advice: without it all works, and more slowly
    _ = madvise(base, byteCount, Int32(MADV_HUGEPAGE))
    #endif
    return base
  }

  /// A file mapped into memory, to be read only; it is unmapped at the end.
  ///
  /// - Parameters:
  ///   - descriptor: the file, which may be closed afterward.
  ///   - byteCount: its length, which must not be zero.
  ///   - treeChecksums: those that the file says the tree's sections have.
  /// - Throws: why the system refuses.
  init(
    mapping descriptor: Int32,
    byteCount: Int,
    treeChecksums: [UInt64]? = nil
  ) throws(SystemCall.Failure) {
    let address = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let address, address != MAP_FAILED else { throw SystemCall.Failure(code: errno) }
    base = address
    self.byteCount = byteCount
    isMapped = true
    isPages = true
    self.treeChecksums = treeChecksums
  }

  /// The bytes of a range.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  deinit {
    if isPages {
      munmap(base, byteCount)
    } else {
      base.deallocate()
    }
  }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The block of memory that a tree stands on: allocated here, or a file mapped into memory.
///
/// `@unchecked Sendable`: written to by the builder only, before anybody else has it.
final class TreeStorage: @unchecked Sendable {
  /// The first byte, aligned to a page at least.
  let base: UnsafeMutableRawPointer

  let byteCount: Int

  let isMapped: Bool

  /// The checksums of the sections as the mapped file's header has them; nil where there is no file.
  let fileChecksums: [UInt64]?

  /// Whether the block is pages of the system's own, file or not.
  private let isPages: Bool

  /// Above this size a block is laid on large pages: fewer misses of the address cache.
  private static let largePage = 2 << 20

  /// A block of zero bytes.
  init(byteCount: Int) {
    self.byteCount = byteCount
    isMapped = false
    fileChecksums = nil
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

  /// A mapping, which is unmapped at the end.
  init(mapping base: UnsafeMutableRawPointer, byteCount: Int, checksums: [UInt64]) {
    self.base = base
    self.byteCount = byteCount
    isMapped = true
    isPages = true
    fileChecksums = checksums
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

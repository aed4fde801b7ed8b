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

  /// Above this size a block is laid on large pages: fewer misses of the address cache.
  private static let largePage = 2 << 20

  /// A block of zero bytes.
  init(byteCount: Int) {
    self.byteCount = byteCount
    isMapped = false
    fileChecksums = nil
    let isLarge = byteCount >= 2 * Self.largePage
    base = .allocate(
      byteCount: byteCount,
      alignment: isLarge ? Self.largePage : TreeLayout.alignment
    )
    #if os(Linux)
    // advice: without it all works, and more slowly
    if isLarge { _ = madvise(base, byteCount, Int32(MADV_HUGEPAGE)) }
    #endif
    base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  /// A mapping, which is unmapped at the end.
  init(mapping base: UnsafeMutableRawPointer, byteCount: Int, checksums: [UInt64]) {
    self.base = base
    self.byteCount = byteCount
    isMapped = true
    fileChecksums = checksums
  }

  /// The bytes of a range.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  deinit {
    if isMapped {
      munmap(base, byteCount)
    } else {
      base.deallocate()
    }
  }
}

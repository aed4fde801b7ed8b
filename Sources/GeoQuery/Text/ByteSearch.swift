#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// The offset at which a value first occurs, 0 for the empty value; nil if it does not.
  func firstOffset(of value: [UInt8]) -> Int? {
    guard let first = value.first else { return 0 }
    guard let base = baseAddress else { return nil }
    var start = base
    // where the value would no longer fit
    let end = base + count - value.count + 1
    while start < end, let found = memchr(start, Int32(first), end - start) {
      if memcmp(found, value, value.count) == 0 { return UnsafeRawPointer(found) - base }
      start = UnsafeRawPointer(found) + 1
    }
    return nil
  }
}

import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The bytes of an open file, a pipe or standard input.
public struct FileBytes: ByteSource {
  private let descriptor: Int32

  /// Reads from an open descriptor, which the caller closes.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads available bytes, and waits for the first.
  public mutating func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = systemRead(descriptor, space.baseAddress, space.count)
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw ByteSourceError("cannot be read: \(String(cString: strerror(errno)))")
      }
    }
  }
}

private let systemRead = read(_:_:_:)

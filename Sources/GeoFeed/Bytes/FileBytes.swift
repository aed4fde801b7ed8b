import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The bytes of an open file, a pipe or standard input.
public struct FileBytes: ByteSource {
  private let descriptor: Int32

  /// Reads from an open descriptor, which stays the caller's to close.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads what is there, waiting for the first byte.
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

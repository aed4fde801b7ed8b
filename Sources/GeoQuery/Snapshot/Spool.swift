import GeoIndex

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A section that is written while others are.
///
/// A file without a name, beside the snapshot, that is copied into it when its turn comes. Ten million
/// names take as little memory as ten.
final class Spool {
  private static let pieceCount = 1 << 16

  /// How many bytes it holds.
  private(set) var count = 0

  private let path: String
  private var descriptor: Int32 = -1
  private var pending: [UInt8] = []

  /// A spool beside the snapshot that is to come to a path; no file is made before it is needed.
  init(beside path: String) {
    self.path = path
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Adds bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws(SnapshotError) {
    pending.append(raw: bytes)
    count += bytes.count
    if pending.count >= Self.pieceCount { try flush() }
  }

  /// Adds a number, little-endian.
  func append(_ number: some FixedWidthInteger) throws(SnapshotError) {
    withUnsafeBytes(of: number.littleEndian) { pending.append(contentsOf: $0) }
    count += MemoryLayout.size(ofValue: number)
    if pending.count >= Self.pieceCount { try flush() }
  }

  /// The bytes from an offset on, a piece of them; none at the end.
  func piece(from offset: Int) throws(SnapshotError) -> [UInt8] {
    guard offset < count else { return [] }
    guard descriptor >= 0 else { return Array(pending[offset...]) }
    try flush()
    var length = -1
    let piece = [UInt8](unsafeUninitializedCapacity: 1 << 18) { space, filled in
      repeat {
        length = pread(descriptor, space.baseAddress, space.count, off_t(offset))
      } while length < 0 && errno == EINTR
      filled = max(0, length)
    }
    guard length > 0 else { throw failure() }
    return piece
  }

  /// All bytes at once, for what has to be put in order.
  func allBytes() throws(SnapshotError) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(count)
    while all.count < count { all += try piece(from: all.count) }
    return all
  }

  private func flush() throws(SnapshotError) {
    if descriptor < 0 {
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      let padded = String(repeating: "0", count: 16 - digits.count) + digits
      let name = "\(path).\(padded).tmp"
      descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw failure() }
      unlink(name)
    }
    var written = 0
    while written < pending.count {
      let got = pending.withUnsafeBytes {
        write(descriptor, $0.baseAddress.map { $0 + written }, pending.count - written)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw failure() }
      written += got
    }
    pending.removeAll(keepingCapacity: true)
  }

  private func failure() -> SnapshotError {
    let reason = String(cString: strerror(errno == 0 ? EIO : errno))
    return SnapshotError.notWritten(path, because: "its parts cannot be kept beside it (\(reason))")
  }
}

import Foundation
package import GeoIndex

/// Bytes that are collected in a nameless file, such as a section filled while others are written.
///
/// The file is in the snapshot's folder, so that ten million names take as little memory as ten.
package final class SpillFile {
  private static let pieceCount = 1 << 16
  private(set) var count = 0

  private let path: String
  private var descriptor: Int32 = -1
  private var pending: [UInt8] = []

  /// Makes a spool in the folder of a new snapshot; its file is made with the first bytes that need it.
  package init(beside path: String) {
    self.path = path
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws(SnapshotError) {
    pending.append(raw: bytes)
    count += bytes.count
    if pending.count >= Self.pieceCount { try flush() }
  }

  /// Adds a number, little-endian.
  package func append(_ number: some FixedWidthInteger) throws(SnapshotError) {
    withUnsafeBytes(of: number.littleEndian) { pending.append(contentsOf: $0) }
    count += MemoryLayout.size(ofValue: number)
    if pending.count >= Self.pieceCount { try flush() }
  }

  /// Calls a closure with all bytes, mapped into memory; there may be more of them than memory.
  ///
  /// - Throws: `SnapshotError` if they cannot be mapped, or if the closure throws it.
  package func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(SnapshotError) -> Result
  ) throws(SnapshotError) -> Result {
    guard descriptor >= 0 else {
      return try pending.withUnsafeBufferPointer { (bytes) throws(SnapshotError) in
        try body(UnsafeRawBufferPointer(bytes))
      }
    }
    try flush()
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
    else { throw failure() }
    defer { munmap(start, count) }
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The next piece of the bytes from an offset on; empty at the end.
  func piece(from offset: Int) throws(SnapshotError) -> [UInt8] {
    try withBytes { Array($0[offset..<min(offset + 1 << 18, $0.count)]) }
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
    return SnapshotError.notWritten(
      path,
      because: "its parts cannot be stored in its folder (\(reason))"
    )
  }
}

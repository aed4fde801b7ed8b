#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Byte strings by position, in a mapped file without a name.
///
/// A million features take hundreds of megabytes: in a file they are pages that the system drops and
/// reads again as it likes, not memory of the process.
struct ByteColumn: Sendable {
  private let bytes: MappedBytes
  private let ends: MappedBytes

  /// How many byte strings there are.
  let count: Int

  fileprivate init(bytes: MappedBytes, ends: MappedBytes, count: Int) {
    self.bytes = bytes
    self.ends = ends
    self.count = count
  }

  /// All byte strings, one behind the other.
  var all: UnsafeRawBufferPointer { bytes.buffer }

  /// Where a byte string lies in `all`.
  ///
  /// - Parameter position: In 0..<count.
  /// - Returns: Offsets into `all`.
  func range(at position: Int) -> Range<Int> {
    precondition(position >= 0 && position < count, "A position must be one of the column's.")
    return start(at: position)..<start(at: position + 1)
  }

  /// The byte string at a position; valid as long as the column is.
  subscript(position: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.buffer[range(at: position)])
  }

  /// The position whose byte string holds an offset into `all`.
  func position(at offset: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if start(at: middle + 1) <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func start(at position: Int) -> Int {
    guard position > 0 else { return 0 }
    return Int(ends.buffer.loadUnaligned(fromByteOffset: (position - 1) * 8, as: UInt64.self))
  }
}

/// Writes a `ByteColumn`, one byte string after another.
struct ByteColumnBuilder {
  private var bytes: MappedBytesWriter
  private var ends: MappedBytesWriter
  private var count = 0

  init() throws {
    bytes = try MappedBytesWriter()
    ends = try MappedBytesWriter()
  }

  /// Adds a byte string.
  mutating func append(_ string: some Collection<UInt8>) throws {
    try bytes.append(string)
    try withUnsafeBytes(of: UInt64(bytes.count)) { try ends.append($0) }
    count += 1
  }

  /// The column; nothing can be added afterwards.
  mutating func finish() throws -> ByteColumn {
    ByteColumn(bytes: try bytes.finish(), ends: try ends.finish(), count: count)
  }
}

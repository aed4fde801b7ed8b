import Foundation
import GeoFeed
import GeoQuery

/// The rows that an import will write, kept until the whole feed has been read.
///
/// They are kept in memory; beyond `memory` bytes, in an unlinked file next to the database.
final class ChangeLog: RowSink {
  private let path: String
  private let memory: Int
  private var buffer: [UInt8] = []
  private var spill: Int32 = -1

  /// - Parameters:
  ///   - path: The database.
  ///   - memory: The maximum size in memory, in bytes.
  init(beside path: String, memory: Int = 16 << 20) {
    self.path = path
    self.memory = memory
  }

  deinit {
    if spill >= 0 { close(spill) }
  }

  /// Receives a row that will be written.
  typealias Body = (_ packed: UnsafeRawBufferPointer, _ row: RowChange) throws -> Void

  /// The length of the numbers before a packed row.
  private static let headLength = 48

  func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws {
    let head = [
      UInt64(bitPattern: row.number), row.isNew ? 1 : 0, row.fingerprint,
      row.record.low, row.record.high, UInt64(packed.count),
    ]
    for number in head {
      withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
    }
    buffer.append(contentsOf: packed)
    if buffer.count >= memory { try flush() }
  }

  /// Visits the rows in the order in which they were added.
  func visit(_ body: Body) throws {
    guard spill >= 0 else {
      _ = try buffer.withUnsafeBytes { try Self.visit($0, body) }
      return
    }
    try flush()
    guard lseek(spill, 0, SEEK_SET) == 0 else { throw failure(errno) }
    var bytes: [UInt8] = []
    while try fill(&bytes) {
      let used = try bytes.withUnsafeBytes { try Self.visit($0, body) }
      bytes.removeFirst(used)
    }
  }

  /// Visits the complete rows in some bytes, and returns their length.
  private static func visit(_ bytes: UnsafeRawBufferPointer, _ body: Body) throws -> Int {
    var place = 0
    while bytes.count - place >= headLength {
      let head = UnsafeRawBufferPointer(rebasing: bytes[place..<place + headLength])
      let number = { (index: Int) -> UInt64 in RowChunk.number(index, of: head) }
      let start = place + headLength
      let end = start + Int(number(5))
      guard end <= bytes.count else { break }
      let row = RowChange(
        number: Int64(bitPattern: number(0)),
        isNew: number(1) == 1,
        fingerprint: number(2),
        record: RecordKey(low: number(3), high: number(4))
      )
      try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), row)
      place = end
    }
    return place
  }

  private func fill(_ bytes: inout [UInt8]) throws -> Bool {
    let chunk = 1 << 20
    var code: Int32 = 0
    let more = [UInt8](unsafeUninitializedCapacity: chunk) { space, count in
      let got = read(spill, space.baseAddress, chunk)
      if got < 0 { code = errno }
      count = max(0, got)
    }
    if code != 0 { throw failure(code) }
    bytes += more
    return !more.isEmpty
  }

  private func flush() throws {
    if spill < 0 {
      let name = path + "." + randomDigits() + ".tmp"
      spill = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard spill >= 0 else { throw failure(errno) }
      unlink(name)
    }
    let code = buffer.withUnsafeBytes { bytes -> Int32 in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = write(spill, rest.base.baseAddress.map { $0 + rest.startIndex }, rest.count)
        if written <= 0 { return written == 0 ? EIO : errno }
        rest = rest.dropFirst(written)
      }
      return 0
    }
    if code != 0 { throw failure(code) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func failure(_ code: Int32) -> StoreError {
    let reason = String(cString: strerror(code))
    return StoreError(
      .inputOutput,
      path: path,
      "the changes cannot be stored in a file next to the database (\(reason)); nothing was changed"
    )
  }
}

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A read-only mapping of a file that nobody else can reach, unmapped when its last user leaves.
///
/// `@unchecked Sendable`: the bytes are never written.
final class MappedBytes: @unchecked Sendable {
  /// The bytes.
  let buffer: UnsafeRawBufferPointer

  fileprivate init(descriptor: Int32, count: Int) throws {
    guard count > 0 else {
      buffer = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let address, address != MAP_FAILED else {
      throw PreparationError(action: "map a temporary file", code: errno)
    }
    buffer = UnsafeRawBufferPointer(start: address, count: count)
  }

  deinit {
    if let address = buffer.baseAddress {
      munmap(UnsafeMutableRawPointer(mutating: address), buffer.count)
    }
  }
}

/// Writes a temporary file that has lost its name already: it goes when the process does.
final class MappedBytesWriter {
  private static let pieceCount = 1 << 16

  /// How many bytes were appended.
  private(set) var count = 0

  private var descriptor: Int32
  private var pending: [UInt8] = []

  init() throws {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/geoq-serve-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw PreparationError(action: "make a temporary file in \(folder)", code: errno)
    }
    unlink(template)
    pending.reserveCapacity(2 * Self.pieceCount)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Adds bytes at the end.
  func append(_ bytes: some Collection<UInt8>) throws {
    pending.append(contentsOf: bytes)
    count += bytes.count
    if pending.count >= Self.pieceCount { try flush() }
  }

  /// The mapping; nothing can be added afterwards.
  func finish() throws -> MappedBytes {
    try flush()
    return try MappedBytes(descriptor: descriptor, count: count)
  }

  private func flush() throws {
    var rest = pending[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        throw PreparationError(action: "write a temporary file", code: errno)
      }
      rest.removeFirst(written)
    }
    pending.removeAll(keepingCapacity: true)
  }
}

/// The system would not hold what the service prepares.
struct PreparationError: Error, CustomStringConvertible {
  /// What was tried.
  let action: String

  /// The system's error number.
  let code: Int32

  /// What failed, why, and what to do.
  var description: String {
    "cannot \(action): \(String(cString: strerror(code))); set TMPDIR to a folder with more space"
  }
}

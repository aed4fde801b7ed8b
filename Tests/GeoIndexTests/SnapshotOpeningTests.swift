import Foundation
import Testing

@testable import GeoIndex

struct SnapshotOpeningTests {
  private let folder: TemporaryFolder
  private let file: SnapshotFile

  init() throws {
    folder = try TemporaryFolder()
    var random = SplitMix64(stream: "opening")
    file = try SnapshotFile(
      of: Layout.clustered.coordinates(count: 300, using: &random),
      in: folder
    )
  }

  /// Why a file of these bytes is refused at opening; nil where it is not.
  private func reason(_ bytes: some Sequence<UInt8>) throws -> String? {
    let path = folder.file("damaged.geoqx")
    try TemporaryFolder.write(bytes, to: path)
    return reason(opening: path)
  }

  private func reason(opening path: String) -> String? {
    do {
      _ = try Snapshot(path: path)
      return nil
    } catch {
      #expect(error.path == path)
      #expect(error.description == "\(path): unusable, because \(error.reason); write it again")
      return error.reason
    }
  }

  @Test func `every flipped bit of the header is refused`() throws {
    let path = folder.file("damaged.geoqx")
    var bytes = file.bytes
    try TemporaryFolder.write(bytes, to: path)
    #expect(reason(opening: path) == nil)
    let handle = try #require(FileHandle(forWritingAtPath: path))
    for bit in 0..<8 * SnapshotHeader.byteCount {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try handle.seek(toOffset: UInt64(bit / 8))
      handle.write(Data([bytes[bit / 8]]))
      #expect(throws: SnapshotError.self, "bit \(bit)") { try Snapshot(path: path) }
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try handle.seek(toOffset: UInt64(bit / 8))
      handle.write(Data([bytes[bit / 8]]))
    }
    #expect(reason(opening: path) == nil)
    bytes[44] ^= 1
    #expect(try reason(bytes) == "the checksum of its header does not match")
  }

  @Test func `every length but the right one is refused`() throws {
    let path = folder.file("damaged.geoqx")
    try TemporaryFolder.write(file.bytes, to: path)
    let handle = try #require(FileHandle(forWritingAtPath: path))
    // from the longest to the shortest: each cut leaves what the next one needs
    for length in stride(from: file.bytes.count - 1, through: 0, by: -1) {
      // beyond the header every length in release, some in debug
      #if DEBUG
      if length > 5_000, length % 17 != 0, length < file.bytes.count - 100 { continue }
      #endif
      try handle.truncate(atOffset: UInt64(length))
      let reason = reason(opening: path)
      switch length {
      case 0: #expect(reason == "it is empty")
      case ..<SnapshotHeader.byteCount:
        #expect(reason == "it is \(length) bytes long, less than its header")
      default: #expect(reason == "it is \(length) bytes long and should be \(file.bytes.count)")
      }
    }
  }

  @Test(arguments: [1, 8, 4_095, 4_096, 100_000])
  func `appended bytes are refused`(_ count: Int) throws {
    let longer = file.bytes + [UInt8](repeating: 0, count: count)
    let expected = "it is \(longer.count) bytes long and should be \(file.bytes.count)"
    #expect(try reason(longer) == expected)
  }

  @Test func `another format, version or byte order is named`() throws {
    #expect(try reason("PK\u{3}\u{4} and so on".utf8) == "it is not a geoq snapshot")
    #expect(try reason([UInt8](repeating: 0, count: 20_000)) == "it is not a geoq snapshot")
    var damaged = file
    damaged.put(UInt32(2), at: 12)
    damaged.signHeader()
    #expect(try reason(damaged.bytes) == "its format has version 2, and this geoq reads 1")
    damaged = file
    damaged.put(UInt32(0x0403_0201), at: 8)
    damaged.signHeader()
    #expect(try reason(damaged.bytes) == "it has the other byte order")
    damaged.put(UInt32(7), at: 8)
    #expect(try reason(damaged.bytes) == "its byte order mark is damaged")
    // what a transfer in text mode does
    damaged = file
    damaged.bytes.remove(at: 5)
    #expect(try reason(damaged.bytes) == "it is not a geoq snapshot")
  }

  @Test(arguments: [0, 1, 299, 301, 4_294_967_294, 4_294_967_295, UInt64.max, 1 << 63, 1 << 60])
  func `a wrong number of points is refused`(_ count: UInt64) throws {
    var damaged = file
    damaged.put(count, at: 32)
    damaged.signHeader()
    let reason = try #require(try reason(damaged.bytes))
    #expect(reason.contains("\(count) points"))
  }

  @Test(arguments: [16, 20, 24, 56, 64, 72, 80, 96, 104, 112, 128, 136, 144, 160, 4_080])
  func `a header that does not follow from the number of points is refused`(_ offset: Int) throws {
    for change: UInt64 in [1, 1 << 8, 1 << 31, 1 << 63, 4_096, .max] {
      var damaged = file
      let old = damaged.bytes[offset..<offset + 8].enumerated().reduce(UInt64(0)) {
        $0 | UInt64($1.element) << UInt64(8 * $1.offset)
      }
      damaged.put(old ^ change, at: offset)
      damaged.signHeader()
      let expected = "of its header is not what 300 points ask for"
      #expect(try reason(damaged.bytes)?.hasSuffix(expected) == true)
    }
  }

  @Test func `swapped entries of the section table are refused`() throws {
    var damaged = file
    let (one, other) = (Array(damaged.bytes[64..<96]), Array(damaged.bytes[96..<128]))
    damaged.bytes.replaceSubrange(64..<128, with: other + one)
    damaged.signHeader()
    #expect(try reason(damaged.bytes)?.hasPrefix("byte 64 of its header") == true)
  }

  @Test func `an unused lane of the root that is not empty is refused`() throws {
    // 19 leaves: the root uses three lanes of eight
    let first = file.layout.nodes.lowerBound
    for lane in 0..<5 {
      for bound in 0..<6 {
        for value: Float in [0, .nan, -.nan, 6e6] {
          var damaged = file
          damaged.put(value.bitPattern, at: first + 32 * bound + 4 * lane)
          #expect(try reason(damaged.bytes) == "an unused lane of its root node is not empty")
        }
      }
    }
  }

  @Test func `what is no regular file is refused`() throws {
    #expect(reason(opening: folder.file("nothing")) == "there is no such file")
    #expect(reason(opening: "") == "there is no such file")
    #expect(reason(opening: folder.path) == "it is a folder")
    #expect(reason(opening: folder.file("whole.geoqx\0")) == "its path holds a zero byte")
    let below = folder.file("whole.geoqx/x")
    #expect(reason(opening: below) == "it cannot be opened (Not a directory)")
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: folder.file("whole.geoqx")
    )
    #expect(reason(opening: link) == "it is a symbolic link")
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(reason(opening: pipe) == "it is not a regular file")
    #expect(reason(opening: "/dev/null") == "it is not a regular file")
  }

  @Test func `a file that may not be read is refused`() throws {
    let path = folder.file("whole.geoqx")
    #expect(chmod(path, 0) == 0)
    // root reads it all the same
    let expected = geteuid() == 0 ? nil : "it may not be read (Permission denied)"
    #expect(reason(opening: path) == expected)
  }
}

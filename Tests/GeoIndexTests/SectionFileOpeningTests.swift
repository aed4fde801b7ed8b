import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct SectionFileOpeningTests {
  private let folder: TemporaryFolder
  private let file: SectionFileBytes

  init() throws {
    folder = try TemporaryFolder()
    var random = SplitMix64(stream: "opening")
    file = try SectionFileBytes(
      of: Layout.clustered.coordinates(count: 300, using: &random),
      in: folder,
      further: [5_000, 0, 700]
    )
  }

  /// Why a file of these bytes is refused at opening; nil if it is not.
  private func reason(_ bytes: some Sequence<UInt8>) throws -> String? {
    let path = folder.file("damaged.geoqx")
    try TemporaryFolder.write(bytes, to: path)
    return reason(opening: path)
  }

  private func reason(opening path: String) -> String? {
    do {
      _ = try SectionFile(path: path)
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
    for bit in 0..<8 * SectionFileHeader.byteCount {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try handle.seek(toOffset: UInt64(bit / 8))
      handle.write(Data([bytes[bit / 8]]))
      #expect(throws: SnapshotError.self, "bit \(bit)") { try SectionFile(path: path) }
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
      case ..<SectionFileHeader.byteCount:
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
    damaged.put(UInt32(1), at: 12)
    damaged.signHeader()
    #expect(try reason(damaged.bytes) == "its format has version 1, and this geoq reads 3")
    damaged = file
    damaged.put(UInt32(0x0403_0201), at: 8)
    damaged.signHeader()
    #expect(try reason(damaged.bytes) == "it has the other byte order")
    damaged.put(UInt32(7), at: 8)
    #expect(try reason(damaged.bytes) == "its byte order mark is damaged")
    damaged = file
    damaged.put(UInt32(4_097), at: 16)
    damaged.signHeader()
    #expect(try reason(damaged.bytes) == "byte 16 of its header does not fit the rest")
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

  @Test(arguments: [24, 56, 72, 104, 136, 168, 200, 232, 256, 264, 3_896, 3_904, 4_080])
  func `a header that does not follow from lengths and names is refused`(_ offset: Int) throws {
    for change: UInt64 in [1, 1 << 8, 1 << 31, 1 << 63, 4_096, .max] {
      let damaged = changed(at: offset) { $0 ^ change }
      #expect(try reason(damaged.bytes)?.hasSuffix("of its header does not fit the rest") == true)
    }
  }

  /// The file with another number at an offset of the header, and the right checksum.
  private func changed(at offset: Int, _ change: (UInt64) -> UInt64) -> SectionFileBytes {
    var damaged = file
    let old: UInt64 = SectionFileHeader.number(damaged.bytes, offset)
    damaged.put(change(old), at: offset)
    damaged.signHeader()
    return damaged
  }

  @Test(arguments: [0, 1, 2])
  func `a section of the tree has the length that its points need`(_ index: Int) throws {
    let name = SectionFileHeader.treeNames[index]
    let length = file.layout.sections[index].count
    for other in [0, 1, length - 1, length + 1, length + 4_096] {
      let damaged = changed(at: 64 + 32 * index + 16) { _ in UInt64(other) }
      let expected = "its section \(name) is not \(length) bytes long, as 300 points need"
      #expect(try reason(damaged.bytes) == expected)
    }
  }

  @Test func `a section that overlaps, leaves a gap or is too long is refused`() throws {
    // offsets and lengths of more0 and more2
    for offset in [168, 232] {
      for step in [-8_192, -4_096, -1, 1, 4_096] as [Int64] {
        let damaged = changed(at: offset) { $0 &+ UInt64(bitPattern: step) }
        #expect(try reason(damaged.bytes) != nil)
      }
    }
    for offset in [176, 208, 240] {
      for length in [1, 4_096, 100_000, 1 << 48] as [UInt64] {
        #expect(try reason(changed(at: offset) { _ in length }.bytes) != nil)
      }
      for length in [1 << 48 + 1, 1 << 63, .max, .max - 4_095] as [UInt64] {
        let expected = "its section more\((offset - 176) / 32) says \(length) bytes"
        #expect(try reason(changed(at: offset) { _ in length }.bytes) == expected)
      }
    }
  }

  @Test func `sections with fitting numbers, but too few bytes, are refused`() throws {
    // the last section a byte longer, and the length of the file with it
    var damaged = changed(at: 240) { $0 + 1 }
    damaged.put(UInt64(file.bytes.count + 1), at: 24)
    damaged.signHeader()
    let expected = "it is \(file.bytes.count) bytes long and should be \(file.bytes.count + 1)"
    #expect(try reason(damaged.bytes) == expected)
    damaged.bytes.append(0)
    #expect(try reason(damaged.bytes) == nil)
  }

  @Test(arguments: [0, 2, 5, 7, 121, UInt32.max] as [UInt32])
  func `a wrong number of sections is refused`(_ count: UInt32) throws {
    var damaged = file
    damaged.put(count, at: 20)
    damaged.signHeader()
    let expected =
      switch count {
      case 5: "byte 24 of its header does not fit the rest"
      case 7: "its section 6 has no valid name"
      default: "its header says \(count) sections"
      }
    #expect(try reason(damaged.bytes) == expected)
  }

  @Test func `a wrong name is refused`() throws {
    func reason(_ name: [UInt8], of section: Int) throws -> String? {
      var damaged = file
      let padded = name + [UInt8](repeating: 0, count: 8 - name.count)
      damaged.bytes.replaceSubrange(64 + 32 * section..<72 + 32 * section, with: padded)
      damaged.signHeader()
      return try self.reason(damaged.bytes)
    }
    #expect(try reason(Array("other".utf8), of: 3) == nil)
    #expect(try reason(Array("12345678".utf8), of: 3) == nil)
    #expect(try reason(Array("more1".utf8), of: 3) == "it has two sections more1")
    #expect(try reason(Array("nodes".utf8), of: 5) == "it has two sections nodes")
    for name in [[], [0x20], [0x61, 0x7F], [0x61, 0xC3, 0xA4], [0, 0x61]] as [[UInt8]] {
      #expect(try reason(name, of: 4) == "its section 4 has no valid name")
    }
    #expect(
      try reason([0x61, 0, 0x61], of: 4) == "byte 194 of its header does not fit the rest"
    )
    let expected = "its section 1 is twigs and should be leaves"
    #expect(try reason(Array("twigs".utf8), of: 1) == expected)
  }

  @Test(arguments: [(0, 1), (2, 3), (3, 4), (3, 5)])
  func `swapped entries of the section table are refused`(_ one: Int, _ other: Int) throws {
    var damaged = file
    for (from, to) in [(one, other), (other, one)] {
      let entry = file.bytes[64 + 32 * from..<96 + 32 * from]
      damaged.bytes.replaceSubrange(64 + 32 * to..<96 + 32 * to, with: entry)
    }
    damaged.signHeader()
    #expect(try reason(damaged.bytes) != nil)
  }

  @Test func `opening never reads the sections after the tree`() throws {
    var damaged = file
    for section in file.sections[3...] {
      damaged.bytes.replaceSubrange(section, with: repeatElement(0xAA, count: section.count))
    }
    #expect(try reason(damaged.bytes) == nil)
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

  @Test func `what is not a regular file is refused`() throws {
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

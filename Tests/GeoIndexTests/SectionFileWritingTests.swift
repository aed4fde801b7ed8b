import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct SectionFileWritingTests {
  private static let tree = KDTree([.at(32.95, -96.82), .at(48.86, 2.35)])

  private func reason(writingTo path: String) -> String? {
    do {
      try Self.tree.write(to: path, storeID: 1, generation: 1)
      return nil
    } catch {
      #expect(error.path == path)
      let text = "\(path): not written, because \(error.reason); see to that and write it again"
      #expect(error.description == text)
      return error.reason
    }
  }

  @Test func `a path that cannot be written to says why, and no file is left`() throws {
    let folder = try TemporaryFolder()
    let missing = folder.file("nowhere/x.geoqx")
    #expect(reason(writingTo: missing) == "its folder cannot be opened (No such file or directory)")
    try TemporaryFolder.write([1], to: folder.file("file"))
    #expect(reason(writingTo: folder.file("file/x"))?.contains("Not a directory") == true)
    let long = folder.file(String(repeating: "x", count: 250))
    #expect(reason(writingTo: long) == "no file can be made in its folder (File name too long)")
    #expect(reason(writingTo: folder.file("a\0b")) == "its path holds a zero byte")
    let taken = folder.file("taken")
    try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: false)
    #expect(reason(writingTo: taken) == "it cannot take its place (Is a directory)")
    #expect(try folder.names() == ["file", "taken"])
  }

  @Test func `an old file stays unchanged if the new one cannot be written`() throws {
    let folder = try TemporaryFolder()
    let name = String(repeating: "x", count: 240)
    try TemporaryFolder.write([1, 2, 3], to: folder.file(name))
    #expect(reason(writingTo: folder.file(name)) != nil)
    #expect(try TemporaryFolder.read(folder.file(name)) == [1, 2, 3])
    #expect(try folder.names() == [name])
  }

  @Test func `a writer that does not finish leaves no file`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.geoqx")
    try TemporaryFolder.write([1, 2, 3], to: path)
    do {
      var writer = try SectionFileWriter(for: path)
      try writer.write(Self.tree)
      try writer.beginSection("more")
      try writer.append([UInt8](repeating: 7, count: 3 << 20))
      #expect(try folder.names().count == 2)
    }
    #expect(try folder.names() == ["x.geoqx"])
    #expect(try TemporaryFolder.read(path) == [1, 2, 3])
  }

  #if os(Linux)
  @Test func `a write that fails halfway leaves the old file and no other`() async {
    // in a process of its own, which may not write files of more than two pages
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder.file("x.geoqx")
      try TemporaryFolder.write([1, 2, 3], to: path)
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 8_192, rlim_max: 8_192)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let error = #expect(throws: SnapshotError.self) {
        try KDTree([.at(1, 2)]).write(to: path, storeID: 1, generation: 1)
      }
      #expect(error?.reason == "its bytes cannot be written (File too large)")
      #expect(try TemporaryFolder.read(path) == [1, 2, 3])
      #expect(try folder.names() == ["x.geoqx"])
    }
  }
  #endif

  @Test func `a symbolic link is replaced, not followed`() throws {
    let folder = try TemporaryFolder()
    let target = folder.file("target")
    try TemporaryFolder.write([1, 2, 3], to: target)
    let link = folder.file("link.geoqx")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(reason(writingTo: link) == nil)
    #expect(try TemporaryFolder.read(target) == [1, 2, 3])
    try SectionFile(path: link).verify()
  }

  @Test func `a path without a folder is in the working folder`() throws {
    let name = "geoq-test-\(UUID().uuidString).geoqx"
    #expect(reason(writingTo: name) == nil)
    try SectionFile(path: name).verify()
    try FileManager.default.removeItem(atPath: name)
  }

  @Test func `the tree of a damaged snapshot is not written as a sound one`() throws {
    let folder = try TemporaryFolder()
    var file = try SectionFileBytes(of: [.at(1, 2), .at(3, 4)], in: folder)
    file.bytes[file.layout.coordinates.lowerBound] ^= 1
    let path = folder.file("damaged.geoqx")
    try TemporaryFolder.write(file.bytes, to: path)
    let tree = try SectionFile(path: path).tree
    let error = #expect(throws: SnapshotError.self) {
      try tree.write(to: folder.file("copy.geoqx"), storeID: 1, generation: 1)
    }
    #expect(error?.reason == "the snapshot that the tree is from is damaged")
  }
}

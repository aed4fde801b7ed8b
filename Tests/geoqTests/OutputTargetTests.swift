import Testing

@testable import geoq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct OutputTargetTests {
  private let folder = ScratchFolder()

  @Test(arguments: [
    ("a.csv", ".", "a.csv"), ("/a.csv", "/", "a.csv"), ("x/y/a.csv", "x/y", "a.csv"),
    ("x/", "x", ""),
    ("", ".", ""),
  ])
  func `a path splits at its last slash`(path: String, folder: String, name: String) {
    let place = FilePlace(path: path)
    #expect(place.folder == folder)
    #expect(place.name == name)
  }

  @Test
  func `devices and descriptors are written to as they are`() throws {
    #expect(try OutputTarget(path: "/dev/null", force: false) == .stream(path: "/dev/null"))
    #expect(try OutputTarget(path: "/dev/stdout", force: false) == .descriptor(1))
    #expect(try OutputTarget(path: "/dev/stderr", force: false) == .descriptor(2))
    #expect(try OutputTarget(path: "/dev/fd/7", force: false) == .descriptor(7))
  }

  @Test
  func `output to the null device is taken without force and leaves it alone`() throws {
    let file = try OutputFile(path: "/dev/null", force: false)
    try file.writer.write("nothing")
    try file.commit()
    #expect(try OutputTarget(path: "/dev/null", force: false) == .stream(path: "/dev/null"))
  }

  @Test
  func `a named pipe gets the bytes and stays`() throws {
    mkfifo(folder["pipe"], 0o600)
    let reader = open(folder["pipe"], O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let file = try OutputFile(path: folder["pipe"], force: false)
    try file.writer.write("through")
    try file.commit()
    #expect(readToEnd(of: reader) == Array("through".utf8))
    #expect(folder.names == ["pipe"])
  }

  @Test
  func `a descriptor is written to and stays open`() throws {
    let pipe = makePipe()
    defer { close(pipe.reading) }
    let file = try OutputFile(path: "/dev/fd/\(pipe.writing)", force: false)
    try file.writer.write("through")
    try file.commit()
    #expect(fcntl(pipe.writing, F_GETFD) >= 0)
    close(pipe.writing)
    #expect(readToEnd(of: pipe.reading) == Array("through".utf8))
  }

  #if os(Linux)
  @Test
  func `a full device is an error of input and output`() throws {
    let file = try OutputFile(path: "/dev/full", force: false)
    try file.writer.write("anything")
    #expect(throws: OutputError.failed(path: "/dev/full", errno: ENOSPC)) { try file.commit() }
  }
  #endif
}

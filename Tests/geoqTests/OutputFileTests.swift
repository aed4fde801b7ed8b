import Testing

@testable import geoq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct OutputFileTests {
  private let folder = ScratchFolder()

  private func write(_ text: String, to name: String, force: Bool = false) throws {
    let file = try OutputFile(path: folder[name], force: force)
    try file.writer.write(text)
    try file.commit()
  }

  @Test
  func `a file appears with its content on commit, and nothing next to it`() throws {
    let file = try OutputFile(path: folder["a.csv"], force: false)
    try file.writer.write("id\n")
    #expect(folder.text(of: "a.csv") == nil)
    #expect(folder.names.count == 1)
    #expect(folder.names.first?.hasPrefix(".a.csv.geoq-") == true)
    try file.commit()
    #expect(folder.names == ["a.csv"])
    #expect(folder.text(of: "a.csv") == "id\n")
  }

  @Test
  func `a new file has the permissions the umask leaves`() throws {
    try write("", to: "new")
    folder.write("", to: "plain")
    #expect(folder.permissions(of: "new") == folder.permissions(of: "plain"))
  }

  @Test
  func `an existing file is kept unless force is given`() throws {
    folder.write("old", to: "a.csv")
    #expect(throws: OutputError.exists(path: folder["a.csv"])) { try write("new", to: "a.csv") }
    #expect(folder.text(of: "a.csv") == "old")
    try write("new", to: "a.csv", force: true)
    #expect(folder.text(of: "a.csv") == "new")
    #expect(folder.names == ["a.csv"])
  }

  @Test
  func `a replaced file keeps its permissions`() throws {
    folder.write("old", to: "private.csv", permissions: 0o600)
    try write("new", to: "private.csv", force: true)
    #expect(folder.permissions(of: "private.csv") == 0o600)
  }

  @Test
  func `a file that appears meanwhile is kept too`() throws {
    let file = try OutputFile(path: folder["a.csv"], force: false)
    try file.writer.write("mine")
    folder.write("theirs", to: "a.csv")
    #expect(throws: OutputError.exists(path: folder["a.csv"])) { try file.commit() }
    #expect(folder.names == ["a.csv"])
    #expect(folder.text(of: "a.csv") == "theirs")
  }

  @Test
  func `discarding leaves what was there`() throws {
    folder.write("old", to: "a.csv")
    let file = try OutputFile(path: folder["a.csv"], force: true)
    try file.writer.write("half")
    try file.writer.flush()
    file.discard()
    file.discard()
    #expect(folder.names == ["a.csv"])
    #expect(folder.text(of: "a.csv") == "old")
  }

  @Test
  func `a file that is not committed is discarded`() throws {
    do {
      let file = try OutputFile(path: folder["a.csv"], force: false)
      try file.writer.write("half")
      #expect(folder.names.count == 1)
    }
    #expect(folder.names.isEmpty)
  }

  @Test
  func `a folder, a missing folder and an empty path are refused`() {
    let path = folder.path
    #expect(throws: OutputError.notAFile(path: path, what: "a folder")) {
      try OutputFile(path: path, force: true)
    }
    #expect(throws: OutputError.cannotCreate(path: folder["no/a.csv"], errno: ENOENT)) {
      try OutputFile(path: folder["no/a.csv"], force: true)
    }
    #expect(throws: OutputError.cannotCreate(path: folder["no/"], errno: EISDIR)) {
      try OutputFile(path: folder["no/"], force: true)
    }
    #expect(throws: OutputError.cannotCreate(path: "", errno: ENOENT)) {
      try OutputFile(path: "", force: true)
    }
  }

  @Test
  func `a long name still leaves room for the temporary's`() throws {
    let name = String(repeating: "é", count: 125) + ".csv"
    try write("long", to: name)
    #expect(folder.text(of: name) == "long")
  }

  @Test
  func `a symbolic link stays and the file it names is replaced`() throws {
    folder.write("old", to: "real.csv")
    symlink("real.csv", folder["link.csv"])
    #expect(throws: OutputError.exists(path: folder["link.csv"])) {
      try write("new", to: "link.csv")
    }
    try write("new", to: "link.csv", force: true)
    #expect(folder.isLink("link.csv"))
    #expect(!folder.isLink("real.csv"))
    #expect(folder.text(of: "real.csv") == "new")
    #expect(folder.names == ["link.csv", "real.csv"])
  }

  @Test
  func `a link that leads nowhere makes the file it names`() throws {
    symlink(folder["real.csv"], folder["second.csv"])
    symlink("second.csv", folder["first.csv"])
    try write("new", to: "first.csv")
    #expect(folder.text(of: "real.csv") == "new")
    #expect(folder.isLink("first.csv") && folder.isLink("second.csv"))
  }

  @Test
  func `links in a circle are refused`() {
    symlink("a", folder["b"])
    symlink("b", folder["a"])
    #expect(throws: OutputError.cannotCreate(path: folder["a"], errno: ELOOP)) {
      try OutputFile(path: folder["a"], force: true)
    }
  }
}

import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Feeds over HTTP, from a server on the loopback interface.
@Suite(.enabled(if: CommandRunner.succeeds("python3 -c 'import http.server'"), "needs python3"))
struct HTTPImportTests {
  private let runner = CommandRunner()
  private let server: FeedServer

  init() throws {
    server = try #require(FeedServer(serving: runner.folder["feed.json"]))
    runner.writeFeed(0..<20, to: "feed.json")
  }

  @Test
  func `an unchanged feed is not sent again and the database keeps its bytes`() {
    let address = server.address + "/feed"
    let first = runner.geoq("import", address)
    #expect(first.status == 0)
    #expect(
      first.err == "\(address): 20 read, 20 inserted, 0 updated, 0 unchanged, 0 removed, "
        + "0 rejected → geoq.db\n"
    )
    let before = runner.bytes(of: "geoq.db")
    let second = runner.geoq("import", address)
    #expect(second.status == 0)
    #expect(
      second.errLines == [
        "\(address): not modified since the last import",
        "\(address): 20 read, 0 inserted, 0 updated, 20 unchanged, 0 removed, 0 rejected → geoq.db",
      ]
    )
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.folder.names == ["feed.json", "geoq.db"])
  }

  @Test
  func `a part of a feed does not count as its version`() {
    let address = server.address + "/again"
    #expect(runner.geoq("import", address, "--stop-after", "3").status == 0)
    let whole = runner.geoq("import", address)
    #expect(whole.err.contains("20 read, 17 inserted, 0 updated, 3 unchanged, 0 removed"))
    #expect(runner.geoq("import", address).err.contains("not modified since the last import"))
  }

  @Test
  func `a changed feed is sent again`() {
    runner.geoq("import", server.address + "/feed", "--source", "web")
    runner.writeFeed(1..<22, to: "feed.json")
    let second = runner.geoq("import", server.address + "/feed", "--source", "web")
    #expect(second.err.hasPrefix("web: 21 read, 2 inserted, 0 updated, 19 unchanged, 1 removed"))
  }

  @Test
  func `an address with a password is refused, and the password not repeated`() {
    let address = server.address.replacing("//", with: "//me:secret@") + "/feed"
    let result = runner.geoq("import", address)
    #expect(result.status == 64)
    #expect(result.err.hasPrefix("Error: an address with a user or password is not fetched"))
    #expect(!result.err.contains("secret"))
    #expect(runner.geoq("info").status == 69)
  }

  @Test(arguments: ["/moved", "/hops/4", "/packed", "/café feed?a b"])
  func `a redirect is followed, a feed may be packed, an address is escaped`(path: String) {
    let result = runner.geoq("import", server.address + path, "--json")
    #expect(result.status == 0)
    #expect(result.json["inserted"] as? Int == 20)
  }

  @Test
  func `a proxy that the environment names is asked, but for hosts without one`() {
    let feed = ["import", "http://elsewhere.example/feed", "--source", "x"]
    let proxy = runner.process(feed, environment: ["http_proxy": server.address])
    #expect(proxy.status == 0, "\(proxy.err)")
    for variables in [
      ["http_proxy": server.address, "no_proxy": "other.example,elsewhere.example"],
      ["HTTP_PROXY": server.address], ["https_proxy": server.address],
    ] {
      #expect(runner.process(feed, environment: variables).status == 69, "\(variables)")
    }
    let local = ["http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"]
    #expect(
      runner.process(
        ["import", server.address + "/feed", "--allow-duplicates"],
        environment: local
      ).status == 0
    )
  }

  @Test
  func `the pages of a feed are followed as one, and asked for again`() {
    let address = server.address + "/pages/whole/0"
    let first = runner.geoq("import", address, "--source", "pages")
    #expect(
      first.err
        == "pages: 6 read, 6 inserted, 0 updated, 0 unchanged, 0 removed, 0 rejected → geoq.db\n"
    )
    let second = runner.geoq("import", address, "--source", "pages")
    #expect(second.err.contains("6 read, 0 inserted, 0 updated, 6 unchanged"))
    let part = runner.geoq("import", address, "--source", "pages", "--keep-missing")
    #expect(part.err.contains("2 read, 0 inserted, 0 updated, 2 unchanged, 0 removed"))
  }

  @Test(
    arguments: [
      ("away", "is not of the same host as the first page"), ("circle", "has been read before"),
      ("gone", "cannot be fetched: the server answered 404"),
      ("short", "the feed says that it is a part, 4 of 6 records"),
    ]
  )
  func `pages that cannot all be read change nothing`(kind: String, problem: String) {
    let result = runner.geoq("import", server.address + "/pages/\(kind)/0", "--source", "pages")
    #expect(result.status != 0)
    #expect(result.err.contains(problem), "\(result.err)")
    #expect(!runner.folder.names.contains("geoq.db"))
  }

  @Test
  func `a fetch takes no longer than --timeout`() {
    let result = runner.geoq("import", server.address + "/dribble", "--timeout", "1")
    #expect(result.status == 69 && result.err.contains("timed out after"))
    #expect(runner.geoq("import", server.address + "/feed", "--timeout", "0").status == 64)
  }

  @Test
  func `an interrupted download leaves nothing`() {
    let script = "mkdir t; TMPDIR=$PWD/t timeout --preserve-status -s INT 1 $GEOQ import "
    let result = runner.shell(script + server.address + "/dribble; echo $?; rmdir t")
    #expect(result.out == "130\n")
    #expect(result.err.hasSuffix("/dribble: interrupted; nothing was imported\n"))
    #expect(runner.folder.names == ["feed.json"])
  }

  @Test
  func `a folder that takes no temporary file is named`() {
    let folder = ["TMPDIR": "/nowhere"]
    let result = runner.geoq("import", server.address + "/feed", environment: folder)
    #expect(result.status == 74)
    #expect(result.err.hasPrefix("Error: cannot make a temporary file in /nowhere: No such file"))
  }

  #if os(Linux)
  // the loader takes these empty files for the libraries, and refuses them
  @Test
  func `the other build of libcurl is taken if one is missing, and none is said with 69`() {
    let libraries = ["LD_LIBRARY_PATH": runner.folder.path]
    let address = server.address + "/feed"
    #expect(runner.shell("touch libcurl.so.4").status == 0)
    #expect(runner.process(["import", address, "--dry-run"], environment: libraries).status == 0)
    #expect(runner.shell("touch libcurl-gnutls.so.4").status == 0)
    let result = runner.process(["import", address], environment: libraries)
    #expect(result.status == 69)
    #expect(result.errLines.count == 1)
    #expect(
      result.err.hasPrefix(
        "Error: \(address): cannot be fetched: libcurl, which fetches feeds, cannot be loaded ("
      )
    )
    // commands that fetch nothing do without
    #expect(runner.process(["--version"], environment: libraries).status == 0)
  }
  #endif

  @Test(
    arguments: [
      ("/missing", "the server answered 404"), ("/broken", "the server answered 500"),
      ("/circle", "redirect"), ("/unasked", "answered 304"), ("/half", "cannot be fetched"),
      ("/gone", "answered 410"), ("/hops/5", "redirect"), ("/nowhere", "answered 302"),
      ("/to-file", "neither http nor https"), ("/to-ftp", "neither http nor https"),
      ("/to-password", "an address with a user or password"), ("/large", "larger than 256 MiB"),
    ]
  )
  func `what cannot be fetched is refused with 69`(path: String, problem: String) {
    expectRefusal(of: server.address + path, status: 69, problem)
  }

  @Test
  func `a page instead of a feed is refused with 65`() {
    expectRefusal(of: server.address + "/page", status: 65, "this is an HTML page")
  }

  @Test
  func `a refused connection is refused with 69`() throws {
    // bound and not listening: no other process can take the port meanwhile
    let (descriptor, port) = try #require(boundPort())
    defer { close(descriptor) }
    expectRefusal(of: "http://127.0.0.1:\(port)/feed", status: 69, "cannot be fetched")
  }

  @Test(arguments: ["ftp://127.0.0.1/feed", "file:///etc/passwd"])
  func `only http and https are fetched`(address: String) {
    expectRefusal(of: address, status: 64, "only http and https addresses are fetched")
  }

  private func expectRefusal(of address: String, status: Int32, _ problem: String) {
    runner.copySample()
    let before = runner.bytes(of: "geoq.db")
    let result = runner.geoq("import", address)
    #expect(result.status == status)
    #expect(result.output.isEmpty)
    #expect(result.errLines.count == 1)
    #expect(result.err.hasPrefix("Error: \(address): ") || status == 65)
    #expect(result.err.contains(problem), "\(result.err)")
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.folder.names == ["feed.json", "geoq.db"])
  }

  private func boundPort() -> (Int32, UInt16)? {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    return isBound ? (descriptor, UInt16(bigEndian: address.sin_port)) : nil
  }
}

import Foundation
import GeoService
import NIOCore
import Testing

@testable import geoq

/// What a fetch of an image connects to, and what it takes; all listeners are the tests' own.
struct ImageDownloadTests {
  private static let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

  /// A public address that no test connects to: what would go there goes to the listener.
  private static let away = "93.184.216.34"

  private let listener: ImageListener

  init() throws {
    listener = try #require(
      ImageListener { path in
        let size = "Content-Length: \(Self.image.count)\r\n\r\n"
        switch path {
        case "/good", "/good?a=%20b": return .bytes("HTTP/1.1 200 OK\r\n" + size, Self.image)
        case "/plain": return .bytes("HTTP/1.0 200 OK\r\n\r\n", Self.image)
        case "/missing": return .bytes("HTTP/1.1 404 Not Found\r\n" + size, Self.image)
        case "/partial": return .bytes("HTTP/1.1 206 Partial Content\r\n" + size, Self.image)
        case "/short": return .bytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", Self.image)
        case "/announced": return .silentBody(3 << 20)
        case "/endless": return .endless("HTTP/1.1 200 OK\r\n\r\n")
        case "/liar": return .endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n")
        case "/drip": return .drip("HTTP/1.1 200 OK\r\n\r\n")
        case "/head": return .drip("HTTP/1.1 200 OK\r\nX-Slow: ")
        case "/heads": return .endless("HTTP/1.1 200 OK\r\nX-Long: ")
        case "/silent": return .silence
        case "/garbage": return .bytes("", [0, 1, 2, 3, 10, 13, 10, 13])
        case "/away": return .redirect("/good")
        case "/hops": return .redirect("/away")
        case "/more": return .redirect("/hops")
        case "/circle": return .redirect("/circle")
        case "/to-other": return .redirect("http://other.example/good")
        case "/to-inside": return .redirect("http://inside.example/good")
        case "/to-loopback": return .redirect("http://127.0.0.1/good")
        case "/to-user": return .redirect("http://img.example@127.0.0.1/good")
        case "/to-file": return .redirect("file:///etc/passwd")
        case "/to-gopher": return .redirect("gopher://img.example/good")
        case "/to-nothing": return .redirect("")
        default: return .bytes("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", [])
        }
      }
    )
  }

  /// A download that finds `img.example` at a public address and `inside.example` at a private one.
  private func download(
    _ hosts: [String] = ["http://img.example", "http://inside.example"],
    seconds: Int = 10,
    resolve: (@Sendable (String) -> [String])? = { name in
      name == "inside.example" ? ["10.0.0.5"] : [away]
    }
  ) throws -> ImageDownload {
    let port = listener.port
    let hosts = try hosts.map { try #require(ImageHost($0), "\($0)") }
    let loopback = try SocketAddress(ipAddress: "127.0.0.1", port: 80)
      .withSockAddr { NetworkAddress($0, length: $1) }
    return ImageDownload(hosts: hosts, seconds: seconds, resolve: resolve) { address in
      loopback.flatMap { address.bytes.count == 4 ? ($0, port) : nil }
    }
  }

  private func refusal(_ text: String, _ download: ImageDownload) -> String? {
    guard let address = WebAddress(text) else { return "no address" }
    do {
      _ = try download.fetch(address)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func fetch(_ path: String) throws -> [UInt8] {
    try download().fetch(try #require(WebAddress("http://img.example" + path)))
  }

  @Test(arguments: ["/good", "/good?a= b", "/plain", "/away", "/hops"])
  func `an image of a listed host is fetched, over two redirects at most`(path: String) throws {
    defer { listener.stop() }
    #expect(try fetch(path) == Self.image)
  }

  @Test(
    arguments: [
      ("/missing", "the server answered 404"), ("/partial", "the server answered 206"),
      ("/short", "bytes remaining to read"), ("/announced", "it is larger than 2 MiB"),
      ("/endless", "it is larger than 2 MiB"), ("/liar", "it is larger than 2 MiB"),
      ("/heads", "it is larger than 2 MiB"), ("/garbage", "HTTP/0.9"),
      ("/more", "more than 2 redirects"),
      ("/circle", "more than 2 redirects"), ("/to-other", "its host is not one of --images"),
      ("/to-inside", "it leads to an address that is not public"),
      ("/to-loopback", "its host is not one of --images"), ("/to-user", "neither http nor https"),
      ("/to-file", "neither http nor https"), ("/to-gopher", "neither http nor https"),
      ("/to-nothing", "the server answered 302"), ("/gone", "the server answered 410"),
    ]
  )
  func `what is not an image of the host is refused`(path: String, reason: String) throws {
    defer { listener.stop() }
    let failure = try #require(refusal("http://img.example" + path, download()))
    #expect(failure.contains(reason), "\(failure)")
    #expect(listener.paths.count <= 3)
  }

  @Test(arguments: ["/drip", "/head", "/silent"])
  func `a slow server is left`(path: String) throws {
    defer { listener.stop() }
    let failure = try #require(refusal("http://img.example" + path, download(seconds: 1)))
    #expect(failure.contains("timed out after"), "\(failure)")
    // by this limit, on a busy machine too, and not by the usual one
    #expect(failure.milliseconds ?? .max < ImageLimits.fetchSeconds * 1_000, "\(failure)")
  }

  /// Spellings of addresses of this machine and its networks, some of them not names of hosts.
  private static let spellings = [
    "127.0.0.1", "127.0.0.2", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1",
    "0x7f.1", "0177.0.0.1", "017700000001", "0177.1", "00000177.0.0.1", "127.000.000.001", "0",
    "0.0.0.0", "0x0", "00", "localhost", "LOCALHOST", "localhost.", "127.0.0.1.", "0x7F000001",
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1]", "[fe80::1%25lo]",
    "[fc00::1]", "[fd00::1]", "[ff02::1]", "[2001::7f00:1]", "10.0.0.1", "10.255.255.255",
    "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.1.254", "169.254.169.254", "2852039166",
    "0xa9fea9fe", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "user@127.0.0.1",
    "img.example@127.0.0.1", "127.0.0.1\\@img.example", "127.0.0.1#@img.example", "%31%32%37.0.0.1",
    "127。0。0。1", "①②⑦.⓪.⓪.①", "ⓛocalhost", "127.0.0.1%00img.example", "127.0.0.1%2fimg.example",
    "127.0.0.1\timg.example", "127.0.0.1;img.example", "img.example:80:127.0.0.1",
  ]

  @Test(arguments: spellings)
  func `no spelling of an address that is not public is connected to, listed or not`(
    spelling: String
  ) throws {
    defer { listener.stop() }
    for port in ["", ":\(listener.port)"] {
      let text = "http://\(spelling)\(port)/good"
      // not listed
      let other = try download(["http://img.example"], resolve: nil)
      let unlisted = refusal(text, other)
      let reasons = ["no address", "its host is not one of --images"]
      #expect(reasons.contains(unlisted ?? "an image"), "\(unlisted ?? "an image")")
      // listed, if it can be
      guard ImageHost("http://" + spelling + port) != nil else { continue }
      let listed = try download(["http://" + spelling + port], resolve: nil)
      let found = refusal(text, listed) ?? "an image"
      #expect(
        found == "it leads to an address that is not public" || found == "no address"
          || found.contains("resolve host"),
        "\(found)"
      )
    }
    #expect(listener.count == 0)
  }

  @Test(
    arguments: [
      "127.0.0.1", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.16.0.1",
      "192.0.0.8",
      "192.168.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "[::1]", "[::]",
      "[::ffff:127.0.0.1]", "[::ffff:93.184.216.34]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
      "[2001:0:7f00:1::]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[ff02::1]",
    ]
  )
  func `a name that stands for an address that is not public is not connected to`(
    address: String
  ) throws {
    defer { listener.stop() }
    for addresses in [[address], [address, Self.away]] {
      let found = refusal("http://img.example/good", try download(resolve: { _ in addresses }))
      #expect(found == "it leads to an address that is not public")
    }
    // a public one next to it may be tried, and only that one
    #expect(listener.count <= 1)
  }

  @Test func `a name is judged at each connection, whatever it stood for before`() throws {
    defer { listener.stop() }
    let turns = Turns(["93.184.216.34", "127.0.0.1", "93.184.216.34", "10.0.0.5"])
    let download = try download(resolve: { _ in [turns.next()] })
    #expect(refusal("http://img.example/good", download) == nil)
    #expect(
      refusal("http://img.example/good", download) == "it leads to an address that is not public"
    )
    // between a redirect and where it leads
    #expect(
      refusal("http://img.example/away", download) == "it leads to an address that is not public"
    )
    #expect(listener.paths == ["/good", "/away"])
  }

  @Test func `plain http is for hosts that are listed with it`() throws {
    defer { listener.stop() }
    let secure = try download(["img.example"])
    #expect(refusal("http://img.example/good", secure) == "its host is not one of --images")
    #expect(
      refusal("http://img.example:8080/good", try download()) == "its host is not one of --images"
    )
    #expect(listener.count == 0)
  }

  /// Values one after the other.
  private final class Turns: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String]

    init(_ values: [String]) {
      self.values = values.reversed()
    }

    func next() -> String { lock.withLock { values.popLast() ?? "127.0.0.1" } }
  }
}

extension ImageListener.Answer {
  /// A body that is announced and never sent.
  fileprivate static func silentBody(_ length: Int) -> Self {
    .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n", [])
  }
}

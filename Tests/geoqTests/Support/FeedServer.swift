import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A web server on the loopback interface for one test: a Python child, ended with the test.
///
/// `/feed` serves the file with an ETag and answers 304 to requests that send it back, 500 to those that
/// comes again without one, which `/again` takes; `/fields` answers the fields of the request; the other
/// paths go wrong in the way of their name.
final class FeedServer {
  /// `http://127.0.0.1:PORT`.
  let address: String

  private let child: ChildProcess
  private let stop: Int32

  /// Starts serving a file.
  ///
  /// - Returns: nil if it does not come up.
  init?(serving file: String) {
    let (stdin, stop) = makePipe()
    let (reading, stdout) = makePipe()
    let launch = ChildProcess.Launch(
      program: "/usr/bin/env",
      arguments: ["python3", "-c", Self.script, file],
      environment: ProcessInfo.processInfo.environment.filter {
        ["PATH", "HOME"].contains($0.key)
      },
      folder: "/tmp"
    )
    let child = ChildProcess(launch, input: stdin, output: stdout, error: STDERR_FILENO)
    for descriptor in [stdin, stdout] { close(descriptor) }
    let port = child == nil ? "" : Self.line(from: reading)
    close(reading)
    guard let child, !port.isEmpty else { return nil }
    self.child = child
    self.stop = stop
    address = "http://127.0.0.1:" + port
  }

  deinit {
    close(stop)
    kill(child.id, SIGKILL)
    _ = child.wait()
  }

  private static func line(from descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  // it ends by itself when its standard input does, should the tests be killed
  private static let script = #"""
    import gzip, hashlib, http.server, json, os, sys, threading, time

    class Handler(http.server.BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"
      served = False

      def answer(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
        if status != 304:
          self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

      def do_GET(self):
        feed = open(sys.argv[1], "rb").read()
        tag = '"' + hashlib.sha256(feed).hexdigest()[:8] + '"'
        if self.path in ("/feed", "/again"):
          known = self.headers.get("If-None-Match")
          if known == tag: self.answer(304, ETag=tag)
          elif self.path == "/feed" and Handler.served and not known: self.answer(500)
          else: self.answer(200, feed, ETag=tag, Content_Type="application/json")
          Handler.served = True
        # as a proxy
        elif self.path == "http://elsewhere.example/feed": self.answer(200, feed)
        elif self.path.startswith("/pages/"):
          kind, number = self.path[7:].split("/")
          number = int(number)
          ids = range(2 * number, 2 * number + 2)
          page = {
            "type": "FeatureCollection", "numberMatched": 6, "numberReturned": 2,
            "features": [
              {"type": "Feature", "id": i, "properties": {"name": "R%d" % i},
               "geometry": {"type": "Point", "coordinates": [i, 1]}} for i in ids
            ],
          }
          links = {
            "whole": str(number + 1), "away": "http://localhost:1/pages/whole/1",
            "circle": "/pages/circle/0", "gone": "/missing", "short": str(number + 1),
          }
          last = 2 if kind != "short" else 1
          if number < last:
            page["links"] = [{"rel": "self", "href": "x"}, {"rel": "next", "href": links[kind]}]
          self.answer(200, json.dumps(page).encode(), ETag='"%d"' % number)
        elif self.path == "/unasked": self.answer(304)
        elif self.path == "/missing":
          self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>", Content_Type="application/xml")
        elif self.path == "/broken": self.answer(500, b"{}")
        elif self.path == "/page":
          self.answer(200, b"<!DOCTYPE html><html></html>", Content_Type="text/html")
        elif self.path == "/moved": self.answer(302, Location="/feed")
        elif self.path == "/packed":
          self.answer(200, gzip.compress(feed), Content_Encoding="gzip")
        elif self.path == "/caf%C3%A9%20feed?a%20b": self.answer(200, feed)
        elif self.path == "/fields":
          self.answer(200, json.dumps(dict(self.headers)).encode(), ETag=' "a b"\t ')
        elif self.path == "/away":
          there = "http://localhost:%d/fields" % server.server_address[1]
          self.answer(302, Location=there, Set_Cookie="a=b", ETag='"of the redirect"')
        elif self.path == "/hops/0": self.answer(302, Location="/feed")
        elif self.path.startswith("/hops/"):
          self.answer(302, Location="/hops/%d" % (int(self.path[6:]) - 1))
        elif self.path == "/to-file": self.answer(302, Location="file:///etc/passwd")
        elif self.path == "/to-ftp": self.answer(302, Location="ftp://127.0.0.1/feed")
        elif self.path == "/to-password":
          self.answer(302, Location="http://me:secret@%s/feed" % self.headers["Host"])
        elif self.path == "/nowhere": self.answer(302)
        elif self.path == "/silent": time.sleep(60)
        elif self.path in ("/large", "/endless", "/dribble"):
          self.send_response(200)
          if self.path == "/large": self.send_header("Content-Length", str(3 << 30))
          self.end_headers()
          self.close_connection = True
          # until the client has gone
          while True:
            self.wfile.write(b" " * (1 if self.path == "/dribble" else 1 << 16))
            if self.path == "/dribble": time.sleep(0.1)
        elif self.path == "/circle": self.answer(302, Location="/circle")
        elif self.path == "/half":
          self.answer(200, feed[: len(feed) // 2], length=len(feed))
          self.close_connection = True
        else: self.answer(410)

      def log_message(self, *arguments): pass

    http.server.ThreadingHTTPServer.handle_error = lambda *arguments: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """#
}

extension String {
  /// The time that an error of libcurl names.
  var milliseconds: Int? {
    firstMatch(of: /([0-9]+) milliseconds/).flatMap { Int($0.1) }
  }
}

import Foundation
import Testing

/// `geoq serve`, as its user runs it.
struct ServeCommandTests {
  private let runner = CommandRunner()

  @Test func `one request is answered without a network`() throws {
    runner.copySample()
    let result = runner.geoq("serve", "--get", "/nearest?lat=32.95&lon=-96.82&count=3")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    let features = result.json["features"] as? [[String: Any]] ?? []
    let names = features.map { ($0["properties"] as? [String: Any])?["name"] as? String }
    #expect(names == ["Yard House", "Pluckers Wing Bar", "Hopdoddy Burger Bar"])
  }

  @Test func `HTTP and the command line agree byte for byte`() throws {
    runner.copySample()
    let served = runner.geoq("serve", "--get", "/nearest?lat=32.95&lon=-96.82&count=15").outLines
    let printed = runner.geoq("nearest", "--at", "32.95,-96.82", "-k", "15", "-f", "geojson")
      .outLines
    #expect(served.count == 17)
    #expect(served.dropFirst() == printed.dropFirst())
    let box = runner.geoq("serve", "--get", "/bbox?bbox=-180,-90,180,90").outLines
    let listed = runner.geoq("list", "-f", "geojson").outLines
    #expect(box.dropFirst() == listed.dropFirst())
  }

  @Test(
    arguments: [
      ("/nearest?lat=95&lon=0", 64, "lat: expected a number in -90...90"),
      ("/nowhere", 64, "there is no such resource"),
      ("/nearest?lat=1&lon=1&x=1", 64, "there is no parameter \"x\""),
    ]
  )
  func `a request that is wrong is a failure`(path: String, status: Int32, text: String) {
    runner.copySample()
    let result = runner.geoq("serve", "--get", path)
    #expect(result.status == status)
    #expect(result.output.isEmpty)
    #expect(result.err.contains(text), "\(result.err)")
    #expect(result.errLines.count == 1 && !result.err.contains("{"))
  }

  @Test(
    arguments: [
      ["--port", "70000"], ["--port", "-1"], ["--cors", "maps.example"], ["--host", ""],
      ["--cors", "https://maps.example/path"], ["--allow-host", "*"],
      ["--allow-host", "maps.example:"],
      ["--allow-host", "https://maps.example"], ["--frame-ancestors", "*"],
      ["--frame-ancestors", "intranet"], ["--unix-socket", ""], ["--images", ""],
      ["--images", "a.example,"],
      ["--images", "ftp://a.example"], ["--images", "*"], ["--images", "a.example/path"],
      ["--images", "user@a.example"], ["--images-max", "3"], ["--images-max", "-1"],
      ["--web-home", ""], ["--web-home", "lunch.example"], ["--web-home", "javascript:alert(1)"],
      ["--web-home", "https://a.example; script-src *"], ["--web-home", "https://me@a.example/"],
      ["--web-home", "https://*.example/"], ["--web-home", "https://[::1]/"],
      ["--basemap", "https://tiles.example/{z}/{x}/{y}.png"], ["--basemap-attribution", "Tiles"],
      ["--basemap", "https://tiles.example/{z}/{x}.png", "--basemap-attribution", "Tiles"],
      ["--basemap", "https://tiles.example;x/{z}/{x}/{y}", "--basemap-attribution", "Tiles"],
      ["--basemap", "https://tiles.example/{z}/{x}/{y}", "--basemap-attribution", ""],
    ]
  )
  func `settings that are wrong are refused`(options: [String]) {
    runner.copySample()
    #expect(runner.geoq(["serve"] + options).status == 64)
  }

  @Test(arguments: ["", "short", "a token with blanks in it", "0123456789abcdef\n0123456789abcdef"])
  func `a token file holds one token`(content: String) {
    runner.copySample()
    let script =
      "umask 077; printf '%s' '\(content)' > token; \"$GEOQ\" serve --token-file token --get /"
    let result = runner.shell(script)
    #expect(result.status == 64)
    #expect(result.err.contains("--token-file: expected one line"), "\(result.err)")
    #expect(content.isEmpty || !result.err.contains(content))
    #expect(runner.geoq("serve", "--token-file", "missing", "--get", "/").status == 66)
  }

  @Test(arguments: [0o600, 0o400, 0o640, 0o604, 0o644, 0o620, 0o602, 0o666])
  func `a token file that others can read or write is refused`(mode: Int) {
    runner.copySample()
    let text = String(mode, radix: 8)
    let result = runner.shell(
      "echo 0123456789abcdef > token; chmod \(text) token; "
        + "\"$GEOQ\" serve --token-file token --get /healthz"
    )
    #expect(result.status == ([0o600, 0o400, 0o640].contains(mode) ? 0 : 64), "\(text)")
    if result.status != 0 { #expect(result.err.contains("chmod 600 token")) }
  }

  @Test(.enabled(if: CommandRunner.succeeds("python3 -c 'import socket'"), "needs python3"))
  func `a port that is taken is said to be`() {
    runner.copySample()
    let program = """
      import os, socket, subprocess
      taken = socket.socket()
      taken.bind(("127.0.0.1", 0))
      taken.listen()
      port = str(taken.getsockname()[1])
      print(port, flush=True)
      raise SystemExit(subprocess.call([os.environ["GEOQ"], "serve", "--port", port]))
      """
    runner.folder.write(program, to: "taken.py")
    let result = runner.shell("python3 taken.py")
    let port = result.outLines.first ?? ""
    #expect(result.status == 69)
    #expect(
      result.err
        == "Error: cannot listen on 127.0.0.1:\(port): Address already in use; "
        + "--port 0 selects a free port\n"
    )
  }

  @Test func `without a database there is nothing to serve`() {
    let result = runner.geoq("serve", "--port", "0")
    #expect(result.status == 69)
    #expect(result.err.contains("no such database"))
  }

  @Test func `an address that is taken is a failure`() {
    runner.copySample()
    let script = """
      "$GEOQ" serve -q --port 0 > url & first=$!
      for i in $(seq 400); do [ -s url ] && break; sleep 0.1; done
      "$GEOQ" serve -q --port "$(sed 's/.*://' url)"; status=$?
      kill $first; wait $first; exit $status
      """
    let result = runner.shell(script)
    #expect(result.status == 69)
    #expect(result.err.contains("cannot listen on 127.0.0.1:"), "\(result.err)")
  }

  @Test func `a service follows imports, notes requests and ends on a signal`() {
    runner.copySample()
    runner.writeFeed(0..<3, to: "more.json")
    let script = """
      "$GEOQ" serve --port 0 > url 2> log & service=$!
      for i in $(seq 400); do [ -s url ] && break; sleep 0.1; done
      url=$(cat url)
      curl -fsS "$url/count/bbox?bbox=-180,-90,180,90"
      "$GEOQ" import -q more.json
      for i in $(seq 400); do
        curl -fsS "$url/healthz" | grep -q '"generation":2' && break; sleep 0.1
      done
      curl -fsS "$url/count/bbox?bbox=-180,-90,180,90&q="'\u{1B}' ; curl -sS "$url/?token=secret" 
      curl -fsS "$url/count/bbox?bbox=-180,-90,180,90"
      kill -TERM $service; wait $service; echo "status $?"
      """
    let result = runner.shell(script)
    #expect(result.out.hasPrefix("{\"count\":15}\n"))
    #expect(result.out.contains("{\"count\":18}\n"))
    #expect(result.outLines.last == "status 0")
    let log = String(decoding: runner.bytes(of: "log"), as: UTF8.self)
    #expect(log.contains("\"level\":\"info\",\"event\":\"reload\",\"generation\":2"))
    #expect(
      log.contains("\"route\":\"/count/bbox\",\"target\":\"/count/bbox?bbox=-180,-90,180,90\"")
    )
    #expect(log.contains("\"peer\":\"127.0.0.1\""))
    for event in ["start", "end"] { #expect(log.contains("\"event\":\"\(event)\"")) }
    #expect(!log.contains("secret") && !log.contains("\u{1B}"))
    for line in log.split(separator: "\n") {
      #expect(throws: Never.self, "\(line)") {
        try JSONSerialization.jsonObject(with: Data(line.utf8))
      }
    }
  }

  @Test(.enabled(if: CommandRunner.succeeds("python3 -c 'import socket'"), "needs python3"))
  func `the token is nowhere in the log, however a client sends it`() {
    runner.copySample()
    let program = """
      import os, re, socket, subprocess
      token = "correct-horse-battery-staple"
      with open("token", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file: file.write(token)
      service = subprocess.Popen(
          [os.environ["GEOQ"], "serve", "-v", "--port", "0", "--token-file", "token"],
          stdout=subprocess.PIPE, stderr=open("log", "wb"), text=True)
      port = int(service.stdout.readline().rsplit(":")[-1])
      forms = ["/?token=@", "//?token=@", "/app?token=@", "/app/?token=@", "/app/map?token=@", "/api?token=@",
          "http://localhost/?token=@", "http://localhost?token=@", "HTTP://localhost/app/?token=@",
          "https://localhost/?token=@", "/?%74oken=@", "/?TOKEN=@", "/?%2574oken=@", "/?a=1&token=@",
          "/?a=1;token=@", "/;token=@", "/?token%3D@", "/%3Ftoken=@", "/#token=@", "/nowhere?token=@", "?token=@",
          "token=@", "/?token=x&token=@", "/nearest?lat=1&lon=2&token=@", "/app/restaurants/x?token=@"]
      fields = f"Referer: http://localhost/?token={token}\\r\\nAuthorization: Bearer {token}\\r\\n"
      body = f'{{"token":"{token}"}}'
      heads = [f"{method} {form.replace('@', token)} HTTP/1.1" for form in forms for method in ("GET", "POST", "PUT")]
      heads += [f"GET /?token={token} HTTP/9.9", f"GET /?token={token}", f"{token} / HTTP/1.1"]
      for head in heads:
          with socket.create_connection(("127.0.0.1", port)) as client:
              request = f"{head}\\r\\nHost: localhost\\r\\n{fields}Connection: close\\r\\n"
              request += f"Content-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n{body}"
              client.sendall(request.encode())
              try:
                  while client.recv(65536): pass
              except ConnectionResetError: pass
      service.terminate()
      service.wait()
      lines = open("log").read().splitlines()
      print(sum('"status"' in line for line in lines) >= len(heads) - 2)
      for line in lines:
          if token in line: print(line)
      """
    runner.folder.write(program, to: "tokens.py")
    let result = runner.shell("python3 tokens.py")
    #expect(result.out == "True\n", "\(result.err)")
  }

  #if os(Linux)
  @Test func `the start in the metrics is that of the process, not of the first look`() {
    runner.copySample()
    let script = """
      "$GEOQ" serve -q --port 0 > url & service=$!
      for i in $(seq 400); do [ -s url ] && break; sleep 0.1; done
      sleep 3
      curl -fsS "$(cat url)/metrics" | sed -n 's/^process_start_time_seconds //p'
      awk '/^btime/ { boot = $2 } { start = $22 } END { printf "%.2f\\n", boot + start / '"$(getconf CLK_TCK)"' }' \\
        /proc/stat "/proc/$service/stat"
      kill $service; wait $service
      """
    let times = runner.shell(script).outLines.compactMap(Double.init)
    #expect(times.count == 2)
    // the service rounds to whole seconds, and the time of boot is up to a second too early
    #expect(abs((times.first ?? 0) - (times.last ?? 99)) < 2, "\(times)")
  }
  #endif

  @Test func `in a pipe the bytes of an answer are those of the service`() {
    runner.copySample()
    let tile = runner.geoq("serve", "--get", "/tiles/0/0/0.mvt")
    #expect(tile.status == 0 && tile.output.first == 0x1A)
    let script = """
      "$GEOQ" serve -q --port 0 > url & service=$!
      for i in $(seq 400); do [ -s url ] && break; sleep 0.1; done
      curl -fsS "$(cat url)/tiles/0/0/0.mvt"; kill $service; wait $service
      """
    #expect(runner.shell(script).output == tile.output)
  }

  @Test func `a snapshot that is truncated ends the service with a sentence, and is made anew`() {
    runner.copySample()
    let script = """
      "$GEOQ" serve -q --port 0 > url 2> log & service=$!
      for i in $(seq 100); do [ -s url ] && break; sleep 0.1; done
      question="$(cat url)/nearest?lat=32.95&lon=-96.82&count=1"
      curl -fsS "$question" > /dev/null || echo "no answer"
      for file in *.geoqx; do : > "$file"; done
      # a service that goes on is ended after ten seconds, with another status
      for i in $(seq 100); do curl -fsS "$question" > /dev/null 2>&1 || break; sleep 0.1; done
      kill -TERM $service 2> kill; wait $service; echo "status $?"
      "$GEOQ" nearest --at 32.95,-96.82 -k 1 -f jsonl
      """
    let result = runner.shell(script)
    #expect(result.outLines.first == "status 74", "\(result.out)\(result.err)")
    #expect(result.outLines.count == 2)
    let log = String(decoding: runner.bytes(of: "log"), as: UTF8.self)
    #expect(log.contains("Error: another program changed a file that is in use, or its disk"))
  }

  @Test func `every curl example of the guide to serving is answered`() throws {
    runner.copySample()
    let page = URL(fileURLWithPath: CommandRunner.sampleFeed)
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        "docs/serving.md"
      )
    let text = try String(contentsOf: page, encoding: .utf8)
    let examples = text.components(separatedBy: "\n").filter { $0.hasPrefix("curl ") }
    #expect(examples.count >= 20)
    let commands = examples.map { example in
      example.replacing("curl ", with: "curl -sS -o answer -w '%{http_code} %{size_download}\\n' ")
        .replacing("http://localhost:8080", with: "$url")
        .replacing("'$url", with: "\"$url\"'")
    }
    let script = """
      umask 077
      openssl rand -hex 32 > token
      "$GEOQ" serve -q --port 0 --token-file token > url & service=$!
      for i in $(seq 400); do [ -s url ] && break; sleep 0.1; done
      url=$(cat url)
      \(commands.joined(separator: "\n"))
      kill -TERM $service; wait $service
      """
    let result = runner.shell(script)
    #expect(result.outLines.count == examples.count, "\(result.out)\(result.err)")
    for (example, answer) in zip(examples, result.outLines) {
      let expected =
        example.contains("-X PUT") ? "201 0" : example.contains("-X DELETE") ? "204 0" : "200 "
      let isRight = answer.hasPrefix(expected) && answer != "200 0"
      #expect(isRight, "\(example): \(answer)")
    }
  }
}

import Testing

/// What a person at a terminal sees, through `script`, which runs a command on one.
@Suite(.enabled(if: CommandRunner.succeeds("script -qec true /dev/null"), "needs script(1)"))
struct TerminalCommandTests {
  private let runner = CommandRunner.withSample()

  private func onTerminal(_ command: String, environment: [String: String] = [:]) -> CommandResult {
    let variables = ["TERM": "xterm", "COMMAND": command]
    return runner.shell(
      #"script -qec 'stty cols 70; eval "$COMMAND"' /dev/null"#,
      environment: variables.merging(environment) { _, given in given }
    )
  }

  @Test
  func `a terminal gets a table that fits it`() {
    let result = onTerminal(#""$GEOQ" nearest --at 32.95,-96.82 -k 2"#)
    #expect(result.status == 0)
    #expect(
      plain(result) == [
        "distance  name               category    id",
        "    73 m  Yard House         Tap House   yard-house-dfd1f6d4",
        "   110 m  Pluckers Wing Bar  Wing Joint  pluckers-wing-bar-74180d44", "2 restaurants",
      ]
    )
    #expect(result.output.contains(0x1B))
  }

  @Test(arguments: [
    #""$GEOQ" list -f tsv"#, #""$GEOQ" list -f csv"#, #""$GEOQ" list --json"#,
    #""$GEOQ" list --geojson"#, #""$GEOQ" list -f geojsonseq"#, #""$GEOQ" info"#,
    #""$GEOQ" info --json"#, #""$GEOQ" serve --get /collections/restaurants/items"#,
    #""$GEOQ" serve --get /app/"#, #""$GEOQ" serve --get '/nearest?lat=1&lon=2'"#,
    #"echo 1,2 > at; "$GEOQ" nearest --at - < at"#,
  ])
  func `no format lets a feed's text steer the terminal`(_ command: String) {
    let evil = "Evil\\u001b[31m\\u009b31m\\u202e"
    runner.folder.write(
      #"{"restaurants":[{"name":"\#(evil)","category":"\#(evil)","location":{"lat":1,"lng":2}}]}"#,
      to: "evil.json"
    )
    runner.geoq("import", "evil.json", "--db", "evil.db")
    let result = onTerminal(command, environment: ["GEOQ_DB": "evil.db", "NO_COLOR": "1"])
    #expect(result.status == 0)
    #expect(result.out.contains("Evil"))
    let controls: [Unicode.Scalar] = ["\u{1B}", "\u{9B}", "\u{202E}"]
    #expect(!result.out.unicodeScalars.contains(where: controls.contains))
  }

  @Test
  func `color on a terminal can be turned off`() {
    let command = #""$GEOQ" list"#
    let plain = [
      onTerminal(command, environment: ["NO_COLOR": "1"]),
      onTerminal(command, environment: ["TERM": "dumb"]),
      onTerminal(command + " --color never"),
    ]
    for result in plain {
      #expect(result.out.contains("Yard House"))
      #expect(!result.output.contains(0x1B))
    }
  }

  @Test
  func `a pipe on a terminal gets tsv in full`() {
    let result = onTerminal(#""$GEOQ" nearest --at 32.95,-96.82 -k 1 | cat"#)
    #expect(plain(result).first?.hasPrefix("id\tname\tcategory\t") == true)
    #expect(!result.output.contains(0x1B))
  }

  @Test(arguments: ["", " --no-progress", " -q"])
  func `progress is shown on a terminal, unless an option hides it`(_ option: String) {
    // longer than is read before the work begins, and it ends only when the bar may show
    let slow = #"(cat feed.json; sleep 2; echo) | "$GEOQ" import - --dry-run"#
    runner.writeFeed(0..<20_000, to: "feed.json")
    let result = onTerminal(slow + option)
    #expect(result.status == 0)
    #expect(result.out.contains("records, ") == option.isEmpty)
  }

  @Test
  func `a table says how many rows it does not show`() {
    let result = onTerminal(#""$GEOQ" list --limit 3"#)
    let lines = plain(result).suffix(2)
    let footer = "3 of 15 restaurants shown; --limit N shows more"
    #expect(lines.first == footer + "; -f ids shows the ids, which do not fit")
    #expect(lines.last?.hasPrefix("next: --cursor ") == true)
  }

  @Test
  func `an import without a feed is a usage error, not a wait`() {
    let result = onTerminal(#""$GEOQ" import"#)
    #expect(result.status == 64)
    #expect(result.out.contains("name a feed"))
  }

  /// The lines without color and without the terminal's own line ends.
  private func plain(_ result: CommandResult) -> [String] {
    var text = String(decoding: result.output.filter { $0 != 0x0D }, as: UTF8.self)
    for code in ["1", "2", "0"] { text = text.replacing("\u{1B}[\(code)m", with: "") }
    return text.split(separator: "\n").map(String.init)
  }
}

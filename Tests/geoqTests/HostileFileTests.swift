import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Things that are not feed file, and feeds that are too large.
struct HostileFileTests {
  private let runner = CommandRunner()

  @Test(
    arguments: [
      ("missing.json", "missing.json: no such file"), (".", ".: is a folder"),
      ("/dev/zero", "/dev/zero: is a device"), ("geoq.db/x", "geoq.db/x: no such file"),
      ("loop", "loop: cannot be opened"), ("nowhere", "nowhere: no such file"),
      ("", "no such file"),
    ]
  )
  func `what is not a file is refused with 66`(path: String, problem: String) {
    runner.copySample()
    let before = runner.bytes(of: "geoq.db")
    symlink("loop", runner.folder["loop"])
    symlink("nobody", runner.folder["nowhere"])
    let result = runner.geoq("import", path)
    #expect(result.status == 66)
    #expect(result.output.isEmpty)
    #expect(result.errLines.count == 1)
    #expect(result.err.hasPrefix("Error: ") && result.err.contains(problem), "\(result.err)")
    #expect(runner.bytes(of: "geoq.db") == before)
    #expect(runner.folder.names == ["geoq.db", "loop", "nowhere"])
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func `a file that may not be read is refused with 77`() {
    runner.folder.write(TestFeed.name("1"), to: "feed.json", permissions: 0)
    #expect(runner.geoq("import", "feed.json").status == 77)
  }

  @Test
  func `a symbolic link is followed`() {
    symlink(CommandRunner.sampleFeed, runner.folder["link.json"])
    #expect(runner.geoq("import", "link.json").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "15\n")
  }

  @Test
  func `a named pipe is read to its end`() {
    mkfifo(runner.folder["pipe"], 0o600)
    let result = runner.shell(
      #"cat "\#(CommandRunner.sampleFeed)" > pipe & "$GEOQ" import pipe --source lunch"#
    )
    #expect(result.status == 0)
    #expect(result.err.hasPrefix("lunch: 15 read, 15 inserted"))
  }

  @Test
  func `a pipe that breaks off changes nothing`() {
    let result = runner.shell(
      #"head -c 5000 "\#(CommandRunner.sampleFeed)" | "$GEOQ" import -"#
    )
    #expect(result.status == 65)
    #expect(result.err.hasPrefix("Error: standard input:"))
    #expect(runner.folder.names.isEmpty)
  }

  @Test
  func `an endless standard input is given up`() {
    let result = runner.shell(#"tr '\0' ' ' < /dev/zero | "$GEOQ" import -"#)
    #expect(result.status == 65)
    #expect(result.err.hasPrefix("Error: standard input:"))
    #expect(result.err.hasSuffix("more than 256 MiB of white space\n"))
    #expect(runner.folder.names.isEmpty)
  }

  @Test
  func `a number of a million digits is a number`() {
    let digits = String(repeating: "1", count: 1_000_000)
    let fraction = TestFeed.position("1.\(digits)", "2")
    runner.makeFile(Array(fraction.utf8), to: "feed.json")
    #expect(runner.geoq("import", "feed.json").status == 0)
    #expect(runner.geoq("list", "--json").out.contains(#""latitude":1.1111111111111112,"#))
    runner.makeFile(Array(TestFeed.position(digits, "2").utf8), to: "feed.json")
    let result = runner.geoq("import", "feed.json")
    #expect(result.status == 0)
    #expect(result.err.contains("… is too large for a number"))
    #expect(result.error.count < 500)
  }

  @Test
  func `a string too long for a record is skipped`() {
    let text = String(repeating: "x", count: Self.longString)
    runner.makeFile(Array(TestFeed.name("\"\(text)\"").utf8), to: "feed.json")
    let result = runner.geoq("import", "feed.json")
    #expect(result.status == 0)
    #expect(
      result.errLines.first?.hasPrefix("feed.json:1: record 1 (byte 16): the record has ") == true
    )
    #expect(runner.geoq("list", "-f", "jsonl").jsonLines.map { $0["name"] as? String } == ["Good"])
  }

  @Test
  func `an object of very many members is skipped, at the root passed over`() {
    let members = (0..<Self.manyMembers).map { "\"k\($0)\":0" }.joined(separator: ",")
    runner.makeFile(Array(TestFeed.members(members).utf8), to: "feed.json")
    let result = runner.geoq("import", "feed.json")
    #expect(result.status == 0)
    #expect(result.errLines.first?.contains("the limit is 1048576") == true)
    runner.makeFile(
      Array(#"{\#(members),"restaurants":[\#(TestFeed.good)]}"#.utf8),
      to: "root.json"
    )
    // the records may begin after what a feed is recognized by
    let forced = runner.geoq("import", "-i", "bottlerocket", "root.json", "--db", "root.db")
    #expect(forced.status == 0)
  }

  @Test
  func `one position a thousand times is a thousand restaurants`() {
    let records = (0..<1_000).map { #"{"name":"N\#($0)","location":{"lat":1,"lng":2}}"# }
    runner.makeFile(
      Array(#"{"restaurants":[\#(records.joined(separator: ","))]}"#.utf8),
      to: "f.json"
    )
    #expect(runner.geoq("import", "f.json").status == 0)
    #expect(runner.geoq("radius", "--at", "1,2", "-r", "0", "-f", "count").out == "1000\n")
  }

  // unoptimized code needs twenty times as long for a byte
  #if DEBUG
  private static let longString = 4_000_000
  private static let manyMembers = 100_000
  #else
  private static let longString = 100_000_000
  private static let manyMembers = 1_000_000
  #endif
}

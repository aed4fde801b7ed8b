import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `info`, `doctor` and `completions`.
struct InfoCommandTests {
  private let runner = CommandRunner()

  @Test
  func `info says what the database holds`() {
    runner.copySample()
    let result = runner.geoq("info")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    #expect(result.outLines[0].hasPrefix("database     geoq.db ("))
    #expect(
      result.outLines[4...6] == [
        "generation   1", "restaurants  15",
        "extent       -96.85424159312772,32.95027115867483,-96.81884050369263,32.99908456526653 "
          + "(W,S,E,N)",
      ]
    )
    #expect(result.outLines[1].hasPrefix("snapshot     "))
    #expect(result.outLines[1].contains("geoq.db.1.geoqx ("))
    #expect(result.outLines[2].contains(", sqlite 3."))
    #expect(result.outLines[7].hasPrefix("source       restaurants.json: 15, last changed 2"))
    #expect(result.outLines[8] == "category     Tap House: 2")
    #expect(result.outLines.count == 8 + 13)
  }

  @Test
  func `info has the same as JSON`() {
    runner.copySample()
    let result = runner.geoq("info", "--json")
    #expect(result.status == 0)
    #expect(result.json["schema"] as? String == "geoq.info/1")
    #expect(result.json["count"] as? Int == 15)
    #expect(result.json["generation"] as? Int == 1)
    #expect(result.json["bytes"] as? Int == runner.bytes(of: "geoq.db").count)
    #expect((result.json["categories"] as? [Any])?.count == 13)
    let snapshot = result.json["snapshot"] as? [String: Any]
    #expect(snapshot?["bytes"] as? Int == runner.bytes(of: "geoq.db.1.geoqx").count)
    #expect((result.json["importedAt"] as? String)?.hasSuffix("Z") == true)
    #expect((result.json["versions"] as? [String: String])?["geoq"] == "0.1.0")
  }

  @Test
  func `doctor finds nothing wrong with a sound database`() {
    runner.copySample()
    let result = runner.geoq("doctor")
    #expect(result.status == 0)
    #expect(result.outLines.count == 6)
    #expect(result.outLines.allSatisfy { $0.hasPrefix("ok ") })
    #expect(runner.geoq("doctor", "--json").json["good"] as? Bool == true)
  }

  @Test
  func `doctor says what is wrong and fails`() {
    let missing = runner.geoq("doctor")
    #expect(missing.status == 1)
    #expect(missing.outLines.last?.hasPrefix("WRONG  database") == true)
    #expect(missing.err.isEmpty)
    runner.copySample()
    var bytes = runner.bytes(of: "geoq.db")
    for position in 8_192..<bytes.count { bytes[position] = 0xAA }
    runner.makeFile(bytes, to: "geoq.db")
    let damaged = runner.geoq("doctor", "--json")
    #expect(damaged.status == 1)
    #expect(damaged.json["good"] as? Bool == false)
    #expect(runner.bytes(of: "geoq.db") == bytes)
    #expect(runner.folder.names == ["geoq.db"])
  }

  @Test
  func `doctor tells how the snapshot is`() {
    runner.copySample()
    func finding() -> String? {
      runner.geoq("doctor").outLines.first { $0.contains("  snapshot") }
    }
    let sound = "ok     snapshot     generation 1, 15 restaurants, opened from "
    #expect(finding()?.hasPrefix(sound) == true)
    var bytes = runner.bytes(of: "geoq.db.1.geoqx")
    bytes[20] ^= 1
    runner.makeFile(bytes, to: "geoq.db.1.geoqx")
    #expect(finding()?.hasPrefix("WRONG  snapshot") == true)
    #expect(finding()?.hasSuffix("; the next query makes it again") == true)
    unlink(runner.folder["geoq.db.1.geoqx"])
    #expect(
      finding() == "ok     snapshot     missing for generation 1; the next query writes it"
    )
    #expect(runner.folder.names == ["geoq.db"])
  }

  @Test(
    .enabled(if: CommandRunner.succeeds("sqlite3 --version"), "needs sqlite3")
  )
  func `doctor reports a spatial index with a missing entry`() {
    runner.copySample()
    let delete = "DELETE FROM idx_restaurants_geom WHERE rowid = 3"
    #expect(runner.shell("sqlite3 geoq.db '\(delete)'").status == 0)
    let result = runner.geoq("doctor")
    #expect(result.status == 1)
    #expect(result.out.contains("15 rows, but 14 entries in the spatial index"))
  }

  @Test(arguments: [("bash", "_geoq()"), ("zsh", "#compdef geoq"), ("fish", "complete -c 'geoq'")])
  func `completions are printed for a shell`(shell: String, part: String) {
    let result = runner.geoq("completions", shell)
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    #expect(result.out.contains(part))
    for command in ["nearest", "export", "doctor"] { #expect(result.out.contains(command)) }
  }

  @Test(.enabled(if: CommandRunner.succeeds("bash --version"), "needs bash"))
  func `bash understands its completions`() {
    let result = runner.shell(#""$GEOQ" completions bash > c.bash && bash -n c.bash"#)
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
  }

  @Test
  func `an unknown shell is a usage error`() {
    #expect(runner.geoq("completions", "tcsh").status == 64)
    #expect(runner.geoq("completions").status == 64)
  }
}

import Testing

/// What `geoq bench` refuses, and how it says so.
struct BenchInputTests {
  private let runner = CommandRunner()

  private static func pairs(_ numbers: Double...) -> [UInt8] {
    numbers.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
  }

  private static let badFiles: [([UInt8], String)] = [
    ([], "empty; expected little-endian float64 pairs LON,LAT"),
    (Array(pairs(1, 2, 3).dropLast()), "23 bytes are not a whole number of pairs"),
    (
      pairs(1, 2, .nan, 3),
      "pair 1 (byte 16): longitude nan is not in -180...180; pairs are LON,LAT"
    ),
    (pairs(1, 2, 3, .nan), "pair 1 (byte 16): latitude nan is not in -90...90"),
    (pairs(1, 2, 3, 4, 5, 91), "pair 2 (byte 32): latitude 91.0 is not in -90...90"),
    (pairs(-180.5, 2), "pair 0 (byte 0): longitude -180.5 is not in -180...180"),
    (pairs(.infinity, 2), "pair 0 (byte 0): longitude inf is not in"),
  ]

  @Test(arguments: badFiles)
  func `a file that is not a list of pairs is refused with the place`(
    bytes: [UInt8],
    problem: String
  ) {
    runner.makeFile(bytes, to: "bad.f64")
    runner.makeFile(Self.pairs(1, 2), to: "good.f64")
    for files in [["bad.f64", "good.f64"], ["good.f64", "bad.f64"]] {
      let result = runner.geoq("bench", "--points", files[0], "--queries", files[1])
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
      #expect(result.err.hasPrefix("Error: bad.f64: \(problem)"), "\(result.err)")
      #expect(result.errLines.count == 1)
    }
  }

  @Test
  func `a pipe of pairs is read, a missing file or a folder is refused`() {
    runner.makeFile(Self.pairs(1, 2, 3, 4), to: "a.f64")
    let result = runner.shell(
      #"mkfifo p; cat a.f64 > p & "$GEOQ" bench --points p --count 3 --json"#
    )
    #expect(result.json["points"] as? Int == 2, "\(result.err)")
    #expect(runner.geoq("bench", "--points", "none.f64").status == 66)
    #expect(runner.geoq("bench", "--points", ".").status == 66)
  }

  @Test(
    arguments: [
      (["--op", "radius"], "--op radius needs --radius"),
      (["--op", "bbox"], "--op bbox needs --half-width"),
      (["--op", "nearest", "--radius", "5"], "--radius goes with --op radius"),
      (["--radius", "5", "--k", "3"], "--k goes with --op nearest"),
      (["--half-width", "181"], "--half-width: expected degrees in 0...180"),
      (["--half-width", "-1"], "--half-width: expected degrees in 0...180"),
      (["--radius", "far"], "--radius: expected a distance"),
      (["--k", "0"], "--k must be 1 or more"), (["--size", "0"], "--size must be 1 or more"),
      (["--count", "0"], "--count must be 1 or more"),
      (["--rounds", "0"], "--rounds must be 1 or more"),
      (["--threads", "0"], "--threads must be 1 or more"),
      (["--radius", "5", "--threads", "2"], "--threads above 1, go with --op nearest"),
      (["--count-only"], "--count-only goes with --op radius or bbox"),
      (["--force"], "--force goes with --answers"),
      (["--size", "5", "--points", "a"], "give --points or --size"),
      (["--db", "a.db"], "--db"), (["--filter-every", "5"], "--filter-every"),
    ]
  )
  func `options that contradict each other are a usage error`(options: [String], problem: String) {
    let result = runner.geoq(["bench"] + options)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix("Error: ") && result.err.contains(problem), "\(result.err)")
  }
}

import Foundation

/// The result of one run of a program.
struct CommandResult {
  /// The exit code, or 128 + n where signal n ended it.
  let status: Int32
  /// What it wrote to standard output.
  let output: [UInt8]
  /// What it wrote to standard error.
  let error: [UInt8]

  /// Standard output as text.
  var out: String { String(decoding: output, as: UTF8.self) }

  /// Standard error as text.
  var err: String { String(decoding: error, as: UTF8.self) }

  /// The lines of standard output.
  var outLines: [String] { Self.lines(of: out) }

  /// The lines of standard error.
  var errLines: [String] { Self.lines(of: err) }

  /// Standard output as one JSON object; empty if it is none.
  var json: [String: Any] { Self.object(output) }

  /// Standard output as one JSON object per line.
  var jsonLines: [[String: Any]] { outLines.map { Self.object(Array($0.utf8)) } }

  private static func object(_ bytes: [UInt8]) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
  }

  /// Lines as they end in LF; another line end inside a text belongs to it.
  private static func lines(of text: String) -> [String] {
    text.utf8.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension CommandRunner {
  /// Imports the sample feed into `geoq.db`.
  @discardableResult
  func importSample(_ options: String...) -> CommandResult {
    importSample(options)
  }

  /// Imports the sample feed into `geoq.db`.
  @discardableResult
  func importSample(_ options: [String]) -> CommandResult {
    geoq(["import", Self.sampleFeed] + options)
  }

  /// A runner whose `geoq.db` has the sample feed: a copy of a database that is imported once.
  static func withSample() -> CommandRunner {
    let runner = CommandRunner()
    runner.copySample()
    return runner
  }

  /// Puts a database with the sample feed, and its snapshot, into the folder.
  func copySample() {
    for (name, bytes) in Self.sample { makeFile(bytes, to: name) }
  }

  private static let sample: [(name: String, bytes: [UInt8])] = {
    let runner = CommandRunner()
    runner.importSample()
    let names = runner.folder.names + runner.folder.snapshots
    return names.map { ($0, runner.bytes(of: $0)) }
  }()

  /// Whether a shell script succeeds: how suites find out what this machine has.
  static func succeeds(_ script: String) -> Bool {
    CommandRunner().shell(script).status == 0
  }

  /// The bytes of a file in the folder; empty if there is none.
  func bytes(of name: String) -> [UInt8] {
    (try? Data(contentsOf: URL(fileURLWithPath: folder[name]))).map(Array.init) ?? []
  }

  /// Makes a file of any bytes.
  func makeFile(_ bytes: [UInt8], to name: String) {
    _ = FileManager.default.createFile(atPath: folder[name], contents: Data(bytes))
  }

  /// Makes a Bottle Rocket feed of `count` restaurants in one row.
  func writeFeed(_ ids: some Sequence<Int>, to name: String) {
    let records = ids.map { number in
      #"{"id":"r\#(number)","name":"Place \#(number)","location":{"lat":10,"lng":\#(number % 180)}}"#
    }
    makeFile(Array(#"{"restaurants":[\#(records.joined(separator: ","))]}"#.utf8), to: name)
  }
}

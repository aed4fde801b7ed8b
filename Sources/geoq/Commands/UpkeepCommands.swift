import ArgumentParser
import GeoIndex
import GeoQuery
import GeoService
import GeoStore

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show what is in the database.",
    discussion: """
        geoq info
        geoq info --json
        geoq info --db other.db
      """
  )

  @Flag(help: "Print JSON (schema geoq.info/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let info = try globals.withStore { try $0.info() }
    if json {
      try StandardStreams.printJSON(JSONReport.text(of: info))
    } else {
      try StandardStreams.print(Self.text(of: info))
    }
  }

  private static func text(of info: StoreInfo) -> String {
    let snapshot = info.snapshot.map { "\($0.path) (\(grouped($0.bytes)) bytes)" }
    let versions = Diagnosis.versions
    var lines = [
      "database     \(info.path) (\(grouped(info.bytes)) bytes, schema \(info.schemaVersion))",
      "snapshot     \(snapshot ?? "none; it cannot be written")",
      "versions     geoq \(Geoq.version), sqlite \(versions.sqlite), "
        + "spatialite \(versions.spatialite)",
      "store id     \(info.storeID)",
      "generation   \(info.generation)",
      "restaurants  \(grouped(info.count))",
    ]
    if let box = info.extent {
      let sides = box.readableSides.map(\.description).joined(separator: ",")
      lines.append("extent       \(sides) (W,S,E,N)")
    }
    if info.chainCount > 0 { lines.append("chains       \(grouped(info.chainCount))") }
    if info.offerCount > 0 { lines.append("offers       \(grouped(info.offerCount))") }
    for source in info.sources {
      let time = source.importedAt.map { ", last changed \($0)" } ?? ""
      let rejected = source.rejections.map { ", \(grouped($0.count)) rejected" } ?? ""
      lines.append("source       \(source.name): \(source.counted)\(time)\(rejected)")
      for reason in source.rejections?.reasons ?? [] {
        let problem = Remedy.naming(reason.name)
        lines.append("               rejected \(grouped(reason.count)): \(problem)")
      }
    }
    let categories = info.categories.prefix(20).map { category in
      "category     \(category.name.isEmpty ? "(none)" : category.name): \(grouped(category.count))"
    }
    lines += categories
    if info.categories.count > categories.count {
      lines.append("             and \(info.categories.count - categories.count) more categories")
    }
    return lines.map { terminalSafe($0) + "\n" }.joined()
  }
}

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the libraries and the database.",
    discussion: """
        geoq doctor
        geoq doctor --json
        geoq doctor --db other.db

      Changes nothing. The exit code is 1 if something is wrong. It works on database files only.
      """
  )

  @Flag(help: "Print JSON (schema geoq.doctor/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let path = try globals.databaseFile(for: "geoq doctor")
    let bar = ProgressBar(isQuiet: globals.quiet, "checking the libraries and the database")
    let findings = Diagnosis.examine(path: path)
    bar.clear()
    try findings.print(schema: "geoq.doctor/1", asJSON: json)
  }
}

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every page, row and index entry of the database and its snapshot.",
    discussion: """
        geoq verify
        geoq verify --json
        geoq verify --db other.db

      Runs SQLite's own check, and compares every row with the spatial index and the snapshot. In a store \
      in PostgreSQL, rows are compared with their hashes and the snapshot. Changes nothing. The exit code \
      is 1 if something is wrong.
      """
  )

  @Flag(help: "Print JSON (schema geoq.verify/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(isQuiet: globals.quiet, "opening the database")
    defer { bar.clear() }
    let findings = try globals.place().verify { bar.show("checking: \($0)") }
    bar.clear()
    try findings.print(schema: "geoq.verify/1", asJSON: json)
  }
}

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Return free space in the database file to the disk.",
    discussion: """
        geoq compact
        geoq compact --json
        geoq compact --db other.db

      Restaurants, ids and answers do not change. Queries can run meanwhile; imports wait. It needs disk \
      space for another copy of the database while it runs. It works on database files only.
      """
  )

  @Flag(help: "Print JSON (schema geoq.compact/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let path = try globals.databaseFile(for: "geoq compact")
    let bar = ProgressBar(isQuiet: globals.quiet, "rewriting the database")
    defer { bar.clear() }
    let report = try RestaurantStore.compact(path: path)
    bar.clear()
    globals.say(
      "\(terminalSafe(path)): \(grouped(report.bytesBefore)) bytes before, "
        + "\(grouped(report.bytesAfter)) after"
    )
    if json { try StandardStreams.printJSON(JSONReport.text(of: report, database: path)) }
  }
}

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the database into one file.",
    discussion: """
        geoq backup lunch-2026-11-27.db
        geoq backup --db lunch.db --force /mnt/disk/lunch.db
        geoq nearest --db lunch-2026-11-27.db --at 32.95,-96.82

      The copy has the state of one moment, with favorites, even while an import or a service \
      writes. It is a database like any other: to go back to it, end what uses the database, \
      and move the copy into its place. The first query on it makes its snapshot.
      """
  )

  @Argument(help: "The file to make.", completion: .file())
  var file: String

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    if case .postgres(let address, _) = try globals.place() {
      throw CommandFailure.usage(
        "geoq backup copies a database file; a store in PostgreSQL is saved by PostgreSQL: "
          + "pg_dump --schema=\(terminalSafe(address.schema)) --file=\(terminalSafe(file)) ADDRESS"
      )
    }
    let database = globals.databasePath
    let store = try RestaurantStore(path: database)
    defer { try? store.close() }
    if let place = FileIdentity(file), place == FileIdentity(database) {
      throw CommandFailure.usage(file, "it is the database itself; name another file")
    }
    if FileIdentity(file + "-wal") != nil {
      throw CommandFailure.usage(file, "another program uses the database there; name another file")
    }
    guard try OutputTarget(path: file, force: force).isFile, !GzipStream.isNamed(by: file) else {
      throw CommandFailure.usage(
        file,
        "a database is a file that is not compressed; name another file"
      )
    }
    let output = try OutputFile(path: file, force: force)
    guard let place = output.currentPath else { return }
    let bar = ProgressBar(isQuiet: globals.quiet, "copying the database")
    defer { bar.clear() }
    let copied = try store.backup(into: place, named: file) { share in
      bar.show { ProgressBar.line("\(Int(share * 100)) % copied", seconds: $0) }
    }
    bar.clear()
    try output.commit()
    globals.say(
      "\(terminalSafe(file)): generation \(copied.generation), "
        + restaurants(copied.restaurants)
    )
  }
}

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a store in PostgreSQL.",
    discussion: """
        geoq init --db postgresql://geoq@db.example/lunch
        geoq init --db 'postgresql://db.example/lunch?schema=dallas'

      Creates the schema geoq, or the one in ?schema=, with its tables. The database must have the \
      encoding UTF8 and PostGIS 3.0 or later. The user must be allowed to create schemas, or tables in the \
      schema if it exists and is empty. An existing store is not changed. Passwords belong in PGPASSWORD \
      or ~/.pgpass. A database file needs no init: the first import creates it.
      """
  )

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    guard case .postgres(let address, _) = try globals.place() else {
      throw CommandFailure.usage(
        "geoq init creates a store in PostgreSQL: give --db postgresql://…; "
          + "the first import creates a database file"
      )
    }
    let isNew = try PostgresCreation.run(address)
    globals.say(
      "\(terminalSafe(address.shown)): "
        + (isNew ? "created; fill it with: geoq import FEED" : "exists; nothing was changed")
    )
  }
}

extension [Finding] {
  /// Prints the findings of `doctor` and `verify`, one per line.
  ///
  /// - Throws: `CommandFailure` with exit code 1 if something is wrong.
  fileprivate func print(schema: String, asJSON: Bool) throws {
    if asJSON {
      try StandardStreams.printJSON(JSONReport.text(of: self, schema: schema))
    } else {
      try StandardStreams.print(lines.joined())
    }
    guard allSatisfy(\.isGood) else { throw CommandFailure.other() }
  }

  private var lines: [String] {
    let width = map(\.subject.count).max() ?? 0
    return map { finding in
      let mark = finding.isGood ? "ok   " : "WRONG"
      let subject = finding.subject.padded(toWidth: width)
      return "\(mark)  \(subject)  \(terminalSafe(Remedy.naming(finding.detail)))\n"
    }
  }
}

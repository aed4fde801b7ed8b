import ArgumentParser
import GeoQuery
import GeoStore

/// `geoq backup`.
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
      throw CommandFailure(
        "geoq backup copies a database file; a store in PostgreSQL is saved by PostgreSQL: "
          + "pg_dump --schema=\(terminalSafe(address.schema)) --file=\(terminalSafe(file)) ADDRESS",
        exitCode: CommandFailure.usage
      )
    }
    let database = globals.databasePath
    let store = try RestaurantStore(path: database)
    defer { try? store.close() }
    if let place = FileIdentity(file), place == FileIdentity(database) {
      throw CommandFailure(
        "\(terminalSafe(file)): it is the database itself; name another file",
        exitCode: CommandFailure.usage
      )
    }
    if FileIdentity(file + "-wal") != nil {
      throw CommandFailure(
        "\(terminalSafe(file)): another program uses the database there; name another file",
        exitCode: CommandFailure.usage
      )
    }
    guard try OutputTarget(path: file, force: force).isFile, !GzipStream.isNamed(by: file) else {
      throw CommandFailure(
        "\(terminalSafe(file)): a database is a file that is not compressed; name another file",
        exitCode: CommandFailure.usage
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

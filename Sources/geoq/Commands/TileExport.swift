import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

extension QueryRun {
  /// Writes map tiles to a file, which appears only when it is complete.
  ///
  /// - Parameters:
  ///   - wanted: The tiles to write.
  ///   - path: The file.
  ///   - whenEmpty: Called if no restaurant was found.
  /// - Throws: `CommandFailure` with exit code 74 if the temporary file of the tiles cannot be
  ///   written.
  func writeTiles(
    _ wanted: TilesToFile,
    to path: String,
    whenEmpty: (QueryEngine) throws -> Void
  ) throws {
    if AnswerOutput.isSameFile(path, globals.databasePath) {
      throw ValidationError("-o: \(terminalSafe(path)) is the database itself; name another file")
    }
    let kind = TileFileKind(fileName: path)
    try withStore { store in
      let engine = try globals.engine(store)
      if kind == .mbtiles, !(try OutputTarget(path: path, force: output.force)).isFile {
        throw ValidationError("-o: an MBTiles file is a database, not a pipe; name a file")
      }
      let file = try OutputFile(path: path, force: output.force)
      var wanted = wanted
      wanted.credits = try store.credits()
      let written = try write(wanted, as: kind, from: engine, to: file, path)
      try file.commit()
      globals.say(
        "\(terminalSafe(path)): \(restaurants(written.restaurants)), \(grouped(written.tiles)) "
          + "tile\(written.tiles == 1 ? "" : "s"), zoom \(written.zooms.lowerBound) to "
          + "\(written.zooms.upperBound)"
      )
      if written.restaurants == 0 { try whenEmpty(engine) }
    }
  }

  private func write(
    _ wanted: TilesToFile,
    as kind: TileFileKind?,
    from engine: QueryEngine,
    to file: OutputFile,
    _ path: String
  ) throws -> TilesInFile {
    let bar = ProgressBar(isQuiet: globals.quiet, "writing")
    defer { bar.clear() }
    func show(zoom: Int, count: Int) {
      bar.show { ProgressBar.line("zoom \(zoom), \(grouped(count)) tiles", seconds: $0) }
    }
    guard let gzip = GzipStream() else {
      throw CommandFailure(
        "not enough memory to compress; end other programs",
        exitCode: CommandFailure.inputOutput
      )
    }
    return try failing(path) {
      guard kind == .mbtiles, let place = file.currentPath else {
        return try engine.writePMTiles(
          wanted,
          beside: path,
          compress: gzip.compressWhole,
          progress: show,
          to: { try file.write($0) }
        )
      }
      return try MBTilesWriter(path: place, credits: wanted.credits).write { add in
        try engine.makeTiles(wanted, progress: show) { try add($0, gzip.compressWhole($1)) }
      }
    }
  }

  /// Gives errors of writing temporary files their exit code.
  private func failing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SnapshotError where error.path == path {
      throw CommandFailure(
        terminalSafe(error.description),
        exitCode: CommandFailure.inputOutput
      )
    } catch let error as StoreError where error.kind == .inputOutput {
      // the error has the path of the temporary file
      throw CommandFailure(
        terminalSafe("\(path): \(error.message)"),
        exitCode: CommandFailure.inputOutput
      )
    }
  }
}

import ArgumentParser
import GeoIndex
import GeoQuery

extension QueryRun {
  /// Writes map tiles to a file, which is complete or not there.
  ///
  /// - Parameters:
  ///   - wanted: Which tiles.
  ///   - path: The file.
  ///   - whenEmpty: What to do after no restaurant was found.
  /// - Throws: `CommandFailure` with exit code 74 if the tiles cannot wait beside the file.
  func writeTiles(
    _ wanted: TilesToFile,
    to path: String,
    whenEmpty: (QueryEngine) throws -> Void
  ) throws {
    if AnswerOutput.isSameFile(path, globals.databasePath) {
      throw ValidationError("-o: \(terminalSafe(path)) is the database itself; name another file")
    }
    try withStore { store in
      let engine = try globals.engine(store)
      let file = try OutputFile(path: path, force: output.force)
      let bar = ProgressBar(isQuiet: globals.quiet, "writing")
      defer { bar.clear() }
      let written = try failing(path) {
        try engine.writePMTiles(
          wanted,
          beside: path,
          compress: Self.gzip,
          progress: { zoom, count in
            bar.show { ProgressBar.line("zoom \(zoom), \(grouped(count)) tiles", seconds: $0) }
          },
          to: { try file.write($0) }
        )
      }
      try file.commit()
      bar.clear()
      globals.say(
        "\(terminalSafe(path)): \(restaurants(written.restaurants)), \(grouped(written.tiles)) "
          + "tile\(written.tiles == 1 ? "" : "s"), zoom \(written.zooms.lowerBound) to "
          + "\(written.zooms.upperBound)"
      )
      if written.restaurants == 0 { try whenEmpty(engine) }
    }
  }

  private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    guard let packed = GzipStream.compressed(bytes) else {
      throw CommandFailure(
        "there is no memory to compress with; end other programs",
        exitCode: CommandFailure.inputOutput
      )
    }
    return packed
  }

  /// Gives failures of writing beside the output their exit code.
  private func failing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SnapshotError where error.path == path {
      throw CommandFailure(
        terminalSafe(error.description),
        exitCode: CommandFailure.inputOutput
      )
    }
  }
}

import ArgumentParser
import GeoIndex
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `--at -`: answers one point a line of standard input, in the order of the input.
struct BatchRun {
  let run: QueryRun

  /// Answers every line; a bad one is named on standard error and costs no other.
  ///
  /// - Throws: `CommandFailure` with exit code 65 at the end where a line was bad.
  func answer(_ query: (Coordinate) -> Query) throws {
    let output = try AnswerOutput(run.output, run.globals)
    let style = try style(of: output.format)
    try run.withStore { store in
      let engine = QueryEngine(store: store)
      var badCount = 0
      var foundCount = 0
      try output.send { sink in
        var writer = BatchWriter(style)
        try eachLine { number, text in
          do {
            let matches = try engine.matches(query(try parseCoordinate(text)))
            foundCount += matches.count
            writer.write(line: number, matches)
          } catch let problem as ArgumentProblem {
            badCount += 1
            StandardStreams.complain("standard input:\(number): \(problem.description)")
            writer.write(line: number, error: problem.description)
          }
          try sink(writer.takeBytes())
        }
        try sink(writer.takeBytes())
      }
      if badCount > 0 {
        throw CommandFailure(
          "\(grouped(badCount)) of the lines could not be read",
          exitCode: CommandFailure.badData
        )
      }
      try run.finish(foundSomething: foundCount > 0)
    }
  }

  private func style(of format: OutputFormat) throws -> BatchWriter.Style {
    if run.output.chosenFormat == nil { return .tsv }
    guard let style = BatchWriter.Style(rawValue: format.rawValue) else {
      throw ValidationError("--at - answers in tsv, csv or jsonl, not \(format.rawValue)")
    }
    return style
  }

  /// Visits the lines that ask something: blank ones and comments (#) only count.
  private func eachLine(_ body: (Int, String) throws -> Void) throws {
    var lines = LineReader(descriptor: STDIN_FILENO)
    var number = 0
    while let line = try lines.next() {
      number += 1
      let text = trimmingBlanks(line)
      if text.isEmpty || text.hasPrefix("#") { continue }
      try body(number, text)
    }
  }
}

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

  /// Whether the first bad line ends it.
  let isStrict: Bool

  /// Answers every line; a bad one is named on standard error and costs no other, unless strict.
  ///
  /// - Throws: `CommandFailure` with exit code 65 at the end where a line was bad.
  func answer(_ query: (Coordinate) -> Query) throws {
    let output = try AnswerOutput(run.output, run.globals, whenUnsaid: .tsv)
    guard let style = BatchWriter.Style(rawValue: output.format.rawValue) else {
      throw ValidationError("--at - answers in tsv, csv or jsonl, not \(output.format.rawValue)")
    }
    try run.withStore { store in
      let engine = try run.globals.engine(store)
      var badCount = 0
      var foundCount = 0
      var explanation = Explanation()
      try output.send { sink in
        var writer = BatchWriter(style)
        try eachLine(sink, until: { isStrict && badCount > 0 }) { number, text in
          do {
            let page = try engine.page(query(try parsePoint(text)))
            foundCount += page.count
            // the objects of jsonl have the counts already
            if style != .jsonl { explanation.add(page.statistics) }
            writer.write(line: number, try page.matches, statistics: page.statistics)
          } catch let problem as ArgumentProblem {
            badCount += 1
            StandardStreams.complain("standard input:\(number): \(problem.description)")
            writer.write(line: number, error: problem.description)
          }
          try sink.write(writer.takeBytes())
        }
        try sink.write(writer.takeBytes())
      }
      explanation.lines.forEach(StandardStreams.complain)
      if badCount > 0 {
        throw CommandFailure(
          "\(grouped(badCount)) line\(badCount == 1 ? "" : "s") could not be read"
            + (isStrict ? "; --strict stopped there" : ""),
          exitCode: CommandFailure.badData
        )
      }
      try run.finish(foundSomething: foundCount > 0)
    }
  }

  /// Visits the lines that ask something: blank ones and comments (#) only count.
  ///
  /// Before it waits for more input it sends the answers so far: whoever asks line by line, a person
  /// or a program, gets each at once.
  private func eachLine(
    _ sink: AnswerSink,
    until isOver: () -> Bool,
    _ body: (Int, String) throws -> Void
  ) throws {
    var lines = LineReader(descriptor: STDIN_FILENO)
    var number = 0
    while !isOver() {
      if !lines.hasWholeLine { try sink.flush() }
      guard let line = try lines.next() else { return }
      number += 1
      let text = trimmingBlanks(line)
      if text.isEmpty || text.begins(with: "#") { continue }
      try body(number, text)
    }
  }
}

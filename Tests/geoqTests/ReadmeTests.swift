import Foundation
import Testing

/// The README's transcripts, run: each command answers what stands below it.
struct ReadmeTests {
  /// A command of a transcript and what it printed.
  private struct Step {
    let command: String
    var answer = ""
  }

  @Test func `every transcript of the README is what the tool prints`() throws {
    let runner = CommandRunner()
    let data = URL(fileURLWithPath: CommandRunner.sampleFeed).deletingLastPathComponent().path
    _ = runner.shell("cp -r '\(data)' Data")
    let steps = try Self.steps()
    #expect(steps.count >= 5)
    for step in steps {
      // what a terminal shows: both streams, answers of nearest, of plans and of offers as a table
      let hasTable = [" -k 3", " cover ", " offers "].contains { step.command.contains($0) }
      let asTable = hasTable ? " -f table" : ""
      let command = step.command.replacing("geoq ", with: "\"$GEOQ\" ") + asTable
      let result = runner.shell("{ \(command); } 2>&1", environment: ["COLUMNS": "80"])
      #expect(result.out == step.answer, "\(step.command)")
    }
  }

  /// The steps of all `console` blocks, in order.
  private static func steps() throws -> [Step] {
    let readme = URL(fileURLWithPath: CommandRunner.sampleFeed)
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    var steps: [Step] = []
    for block in text.components(separatedBy: "```console\n").dropFirst() {
      let lines = block.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
      for line in lines {
        if line.hasPrefix("$ ") {
          steps.append(Step(command: String(line.dropFirst(2))))
        } else if !steps.isEmpty {
          steps[steps.count - 1].answer += line + "\n"
        }
      }
    }
    return steps
  }
}

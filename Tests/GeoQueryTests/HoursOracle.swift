import Foundation
import Testing

@testable import GeoQuery

/// Answers for Tests/oracle/hours.py: the state of each (value, time) pair of a file.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["GEOQ_HOURS_DIR"] != nil))
struct HoursOracle {
  @Test func `the states of all pairs are written`() throws {
    let name = try #require(ProcessInfo.processInfo.environment["GEOQ_HOURS_DIR"])
    let folder = URL(fileURLWithPath: name)
    let lines = try Data(contentsOf: folder.appendingPathComponent("pairs.jsonl")).split(
      separator: 0x0A
    )
    var answers = ""
    for line in lines {
      let pair = try JSONValue(parsing: Array(line))
      guard case .string(let hours)? = pair[name: "value"],
        case .array(let times)? = pair[name: "times"]
      else {
        Issue.record("a line without value and times")
        return
      }
      guard let timetable = Timetable(hours) else {
        answers += "-\n"
        continue
      }
      for case .string(let time) in times {
        let numbers = time.split { "-T:".contains($0) }.compactMap { Int($0) }
        let at = try #require(
          LocalTime(
            year: numbers[0],
            month: numbers[1],
            day: numbers[2],
            minute: numbers[3] * 60 + numbers[4]
          )
        )
        answers += ["c", "u", "o"][Int(timetable.state(at: at).rawValue)]
      }
      answers += "\n"
    }
    try Data(answers.utf8).write(to: folder.appendingPathComponent("states.txt"))
  }
}

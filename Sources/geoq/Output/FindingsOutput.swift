import GeoQuery
import GeoStore

/// The findings of `doctor` and `verify`, one per line.
struct FindingsOutput {
  private let findings: [Finding]

  init(_ findings: [Finding]) {
    self.findings = findings
  }

  /// Prints the findings.
  ///
  /// - Throws: `CommandFailure` with exit code 1 if something is wrong.
  func print(schema: String, asJSON: Bool) throws {
    if asJSON {
      try StandardStreams.printJSON(JSONReport.text(of: findings, schema: schema))
    } else {
      try StandardStreams.print(lines.joined())
    }
    guard findings.allSatisfy(\.isGood) else { throw CommandFailure("", exitCode: 1) }
  }

  private var lines: [String] {
    let width = findings.map(\.subject.count).max() ?? 0
    return findings.map { finding in
      let mark = finding.isGood ? "ok   " : "WRONG"
      let subject = finding.subject.padded(toWidth: width)
      return "\(mark)  \(subject)  \(terminalSafe(Remedy.naming(finding.detail)))\n"
    }
  }
}

import GeoStore

/// What an import did that its user may not have meant.
struct ImportAdvice {
  /// The lines to print.
  let lines: [String]

  init(_ report: ImportReport, _ input: FeedInput) {
    var lines: [String] = []
    if report.removed > 0, report.unchanged + report.updated == 0 {
      lines.append(
        "nothing is left of what the source \"\(terminalSafe(input.sourceName))\" had; "
          + "a feed of another kind wants a --source of its own"
      )
    } else if report.removed > 0, !report.rejected.isEmpty {
      lines.append("what was removed may be among the rejected; --keep-missing keeps it")
    }
    if input.hasQuery, report.inserted > 0 {
      lines.append(
        "the address with its query is the source's name and stands in every export; "
          + "--source NAME gives another"
      )
    }
    self.lines = lines
  }
}

import GeoFeed
import GeoStore

/// Effects of an import that the user may not have intended.
struct ImportAdvice {
  /// The lines to print.
  let lines: [String]

  init(_ report: ImportReport, _ input: FeedInput) {
    var lines: [String] = []
    if report.removed > 0, !report.rejected.isEmpty {
      lines.append("warning: some removed records may be rejected ones; use --keep-missing")
    }
    if input.hasQuery, report.inserted > 0 {
      lines.append(
        "warning: the address with its query is the source's name and is part of every export; "
          + "use --source NAME for another name"
      )
    }
    if report.unknownChains > 0 {
      let chains =
        report.unknownChains == 1
        ? "1 chain that offers name is"
        : "\(grouped(report.unknownChains)) "
          + "chains that offers name are"
      lines.append("\(chains) not in the database; import the list of chains")
    }
    for shared in report.sharedIDs {
      let ids = shared.count == 1 ? "1 id is" : "\(grouped(shared.count)) ids are"
      lines.append(
        "\(ids) also used by \(terminalSafe(shared.source)); "
          + "\(shared.count == 1 ? "it is" : "they are") kept as "
          + "\(terminalSafe(input.sourceName)):ID"
      )
    }
    if report.correctionsInFeed > 0 {
      let count = report.correctionsInFeed
      lines.append(
        "\(grouped(count)) corrected value\(count == 1 ? " is" : "s are") what the feed says now; "
          + "geoq edit --list lists the corrections"
      )
    }
    if report.correctionsGone > 0 {
      let count = report.correctionsGone
      lines.append(
        "\(grouped(count)) corrected restaurant\(count == 1 ? " is" : "s are") gone; "
          + "geoq edit --list lists the corrections"
      )
    }
    let repeatsIDs = report.rejections.groups.contains {
      let problem = $0.first.problem
      return problem.contains("is the same as in record") || problem.contains("no id of its own")
    }
    if repeatsIDs {
      lines.append("rows with the same id: --duplicates first or last keeps one of each")
    }
    self.lines = lines
  }
}

import GeoFeed

/// The problems of a feed's records, for people: each kind once, up to a maximum.
struct FeedProblems {
  private static let shownCount = 20

  /// The lines to print.
  let lines: [String]

  init(_ problems: ProblemGroups) {
    var lines = problems.groups.prefix(Self.shownCount).map { group in
      terminalSafe(group.first.description)
        + (group.count > 1 ? " (and \(grouped(group.count - 1)) more like it)" : "")
    }
    let hidden = problems.groups.dropFirst(Self.shownCount).reduce(problems.otherCount) {
      $0 + $1.count
    }
    if hidden > 0 { lines.append("and \(grouped(hidden)) more records") }
    self.lines = lines
  }
}

import GeoFeed

/// What was wrong with the records of a feed, for people: equal problems once, and not too many.
struct FeedProblems {
  private static let shownCount = 20

  /// The lines to print.
  let lines: [String]

  /// - Parameters:
  ///   - errors: The first problems.
  ///   - count: How many there are; nil where these are all.
  init(_ errors: [FeedError], count: Int? = nil) {
    var firsts: [FeedError] = []
    var counts: [String: Int] = [:]
    for error in errors {
      counts[error.problem, default: 0] += 1
      if counts[error.problem] == 1 { firsts.append(error) }
    }
    var lines = firsts.prefix(Self.shownCount).map { error in
      let others = (counts[error.problem] ?? 1) - 1
      return terminalSafe(error.description) + (others > 0 ? " (and \(grouped(others)) more)" : "")
    }
    let hidden =
      firsts.dropFirst(Self.shownCount).reduce(0) { $0 + (counts[$1.problem] ?? 0) }
      + (count ?? errors.count) - errors.count
    if hidden > 0 { lines.append("and \(grouped(hidden)) more records") }
    self.lines = lines
  }
}

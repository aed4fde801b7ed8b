import GeoQuery

/// A fault of a feed as a whole, before its source and line are known.
struct FeedFault: Error {
  let problem: String

  /// The offset in the feed, where a place can be named.
  let offset: Int?

  /// The line of that offset, where its byte is no longer at hand.
  let line: Int?

  init(_ problem: String, at offset: Int? = nil, line: Int? = nil) {
    self.problem = problem
    self.offset = offset
    self.line = line
  }

  init(_ error: JSONSyntaxError) {
    self.init(error.problem, at: error.offset)
  }
}

/// What is wrong, before it is known where.
struct FeedProblem: Error {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

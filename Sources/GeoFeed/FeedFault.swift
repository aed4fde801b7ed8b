import GeoQuery

/// A fault of a feed as a whole, before its source and line are known.
struct FeedFault: Error {
  /// What to do, and a command for it, in which `FILE` is the feed and `STEM` its name without
  /// extension.
  typealias Advice = (text: String, command: String?)

  let problem: String

  /// The offset in the feed, if it is known.
  let offset: Int?

  /// The line of that offset, if its byte is no longer buffered.
  let line: Int?

  /// What to do about it.
  let advice: Advice?

  init(_ problem: String, at offset: Int? = nil, line: Int? = nil, advice: Advice? = nil) {
    self.problem = problem
    self.offset = offset
    self.line = line
    self.advice = advice
  }

  init(_ error: JSONSyntaxError) {
    self.init(error.problem, at: error.offset)
  }

  init(_ problem: FeedProblem, at offset: Int? = nil) {
    self.init(problem.text, at: offset, advice: problem.advice)
  }

  /// The problem and what to do about it, for a feed with a name.
  func sentence(name: String) -> String {
    guard let advice else { return problem }
    let start = problem + "; " + advice.text
    guard let command = advice.command else { return start }
    let isFile = name != "standard input" && !name.contains("://")
    let file = isFile ? Self.quoted(name) : "FILE"
    let base = name.split(separator: "/").last.map(String.init) ?? name
    let stem = base.split(separator: ".").first.map(String.init) ?? base
    let words = command.replacing("FILE", with: file)
    return start + ": " + words.replacing("STEM", with: isFile ? Self.quoted(stem) : "feed")
  }

  /// A name quoted for the shell.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "+")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain ? name : "'" + name.replacing("'", with: #"'\''"#) + "'"
  }
}

/// The problem of a record, before its place is known.
struct FeedProblem: Error {
  let text: String
  let advice: FeedFault.Advice?

  init(_ text: String, advice: FeedFault.Advice? = nil) {
    self.text = text
    self.advice = advice
  }
}

/// What is wrong with the value of an option: one sentence, without the option's name.
struct ArgumentProblem: Error, CustomStringConvertible, Equatable {
  /// The sentence, in lower case and without a period, as it follows `Error: --at: `.
  let description: String

  /// Makes a problem.
  init(_ description: String) {
    self.description = description
  }

  /// The problem of a value in the wrong form; control characters in it are made visible.
  init(expected form: String, got text: String) {
    description = "expected \(form), got \"\(terminalSafe(text.truncated(toWidth: 60)))\""
  }
}

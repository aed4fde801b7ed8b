/// What is wrong with the value of an option: one sentence, without the option's name.
struct ArgumentProblem: Error, CustomStringConvertible, Equatable {
  /// The sentence, lower case and without a full stop, as it follows `Error: --at: `.
  let description: String

  /// A problem in words.
  init(_ description: String) {
    self.description = description
  }

  /// A value of another form than the one expected, controls in it made visible.
  init(expected form: String, got text: String) {
    description = "expected \(form), got \"\(terminalSafe(text.truncated(toWidth: 60)))\""
  }
}

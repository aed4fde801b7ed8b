import ArgumentParser

/// Puts an option's name before what is wrong with its value.
func named<Value>(_ option: String, _ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let problem as ArgumentProblem {
    throw ValidationError("\(option): \(problem.description)")
  }
}

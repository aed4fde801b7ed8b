import ArgumentParser

/// Prefixes errors in an option's value with its name.
func named<Value>(_ option: String, _ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let problem as ArgumentProblem {
    throw ValidationError("\(option): \(problem.description)")
  }
}

/// What is wrong with a query, and what is expected instead.
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The part of the query, named as on the command line and in addresses: `where`, `cursor`.
  public let parameter: String

  /// What is wrong with it.
  public let reason: String

  /// Makes an error.
  public init(_ parameter: String, _ reason: String) {
    self.parameter = parameter
    self.reason = reason
  }

  /// The parameter and the reason as one sentence.
  public var description: String { complaint(about: parameter, reason) }
}

/// What is wrong with a parameter, as one sentence: `lat is missing`, `where: unknown field "x"`.
package func complaint(about parameter: String, _ reason: String) -> String {
  let isPredicate = ["is ", "has ", "must "].contains { reason.utf8.starts(with: $0.utf8) }
  return parameter + (isPredicate ? " " : ": ") + reason
}

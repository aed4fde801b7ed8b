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
  public var description: String { "\(parameter): \(reason)" }
}

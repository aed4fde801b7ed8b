import GeoQuery

/// An error of a feed or one of its records, with its place.
///
/// As text: `lunch.json:214: record 12 (byte 5120): latitude 95.2 is not in -90...90`.
public struct FeedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file's name, the address, or `standard input`.
  public let source: String

  /// The number of the record, from 1; nil if the error is about the feed as a whole.
  public let record: Int?

  /// The line, from 1; nil if unknown.
  public let line: Int?

  /// The byte offset, from 0; nil if unknown.
  public let byte: Int?

  /// What was found, and what to do unless that is obvious.
  public let problem: String

  /// Makes an error; unknown parts of the place are omitted.
  public init(
    source: String,
    record: Int? = nil,
    line: Int? = nil,
    byte: Int? = nil,
    problem: String
  ) {
    self.source = source
    self.record = record
    self.line = line
    self.byte = byte
    self.problem = problem
  }

  /// The error as one sentence: the place, then the problem.
  public var description: String {
    let place = source + (line.map { ":\($0)" } ?? "")
    let byteText = byte.map { "byte \($0)" }
    switch (record, byteText) {
    case (let record?, let byteText?): return "\(place): record \(record) (\(byteText)): \(problem)"
    case (let record?, nil): return "\(place): record \(record): \(problem)"
    case (nil, let byteText?): return "\(place): \(byteText): \(problem)"
    case (nil, nil): return "\(place): \(problem)"
    }
  }
}

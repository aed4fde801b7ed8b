import GeoQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    (self.source, self.problem) = (source, problem)
    (self.record, self.line, self.byte) = (record, line, byte)
  }

  /// The error as one sentence: the place, then the problem.
  public var description: String {
    let place = source + (line.map { ":\($0)" } ?? "")
    let (recordText, byteText) = (record.map { "record \($0)" }, byte.map { "byte \($0)" })
    let inner = recordText.map { text in text + (byteText.map { " (\($0))" } ?? "") } ?? byteText
    return [place, inner, problem].compactMap(\.self).joined(separator: ": ")
  }
}

extension FeedError: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}

extension ByteSourceError: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}

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

  let advice: Advice?

  init(_ problem: String, at offset: Int? = nil, line: Int? = nil, advice: Advice? = nil) {
    (self.problem, self.advice) = (problem, advice)
    (self.offset, self.line) = (offset, line)
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
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
        || (UInt8(ascii: "+")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
    }
    return isPlain ? name : "'" + name.replacing("'", with: #"'\''"#) + "'"
  }
}

/// The problem of a record, before its place is known.
struct FeedProblem: Error {
  let text: String
  let advice: FeedFault.Advice?

  init(_ text: String, advice: FeedFault.Advice? = nil) {
    (self.text, self.advice) = (text, advice)
  }
}

/// Counts the problems of a feed's records by kind: those that differ only in their values are one
/// kind.
package struct ProblemGroups: Sendable {
  /// The kinds, in order of appearance.
  package private(set) var groups: [(first: FeedError, count: Int)] = []

  /// The number of problems of further kinds.
  package private(set) var otherCount = 0

  private var places: [UTF8Key: Int] = [:]

  /// A feed may have a different problem in each record, and memory must stay bounded.
  private static let maximumCount = 1_000

  package init() {}

  /// The number of all problems.
  package var count: Int { groups.reduce(otherCount) { $0 + $1.count } }

  package mutating func add(_ error: FeedError) {
    let kind = UTF8Key(Self.kind(of: error.problem))
    if let place = places[kind] {
      groups[place].count += 1
    } else if groups.count < Self.maximumCount {
      places[kind] = groups.count
      groups.append((error, 1))
    } else {
      otherCount += 1
    }
  }

  /// A problem without the values in it: texts in quotes, and numbers.
  static func kind(of problem: String) -> String {
    var kind: [UInt8] = []
    var isInQuotes = false
    var isInNumber = false
    for byte in problem.utf8 {
      if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
      let isDigit = byte.isDigit
      let goesOn = isInNumber && [UInt8(ascii: "."), UInt8(ascii: ",")].contains(byte)
      if isDigit, !isInNumber, !isInQuotes { kind.append(UInt8(ascii: "#")) }
      isInNumber = isDigit || goesOn
      // a sign belongs to the number after it
      if !isInQuotes, !isInNumber, byte != UInt8(ascii: "-") { kind.append(byte) }
    }
    return String(decoding: kind, as: UTF8.self)
  }
}

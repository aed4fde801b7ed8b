import GeoQuery

/// Counts the problems of a feed's records by kind: those that differ only in their values are one
/// kind.
public struct ProblemGroups: Sendable {
  /// Problems of one kind.
  public struct Group: Sendable {
    /// The first of them.
    public let first: FeedError

    /// The number of these problems.
    public internal(set) var count: Int
  }

  /// The kinds, in order of appearance.
  public private(set) var groups: [Group] = []

  /// The number of problems of further kinds.
  public private(set) var otherCount = 0

  private var places: [UTF8Key: Int] = [:]

  /// A feed may have a different problem in each record, and memory must stay bounded.
  private static let maximumCount = 1_000

  /// Makes an empty list.
  public init() {}

  /// The number of all problems.
  public var count: Int { groups.reduce(otherCount) { $0 + $1.count } }

  /// Counts a problem.
  public mutating func add(_ error: FeedError) {
    let kind = UTF8Key(Self.kind(of: error.problem))
    if let place = places[kind] {
      groups[place].count += 1
    } else if groups.count < Self.maximumCount {
      places[kind] = groups.count
      groups.append(Group(first: error, count: 1))
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
      let isDigit = (0x30...0x39).contains(byte)
      let goesOn = isInNumber && [UInt8(ascii: "."), UInt8(ascii: ",")].contains(byte)
      if isDigit, !isInNumber, !isInQuotes { kind.append(UInt8(ascii: "#")) }
      isInNumber = isDigit || goesOn
      // a sign belongs to the number after it
      if !isInQuotes, !isInNumber, byte != UInt8(ascii: "-") { kind.append(byte) }
    }
    return String(decoding: kind, as: UTF8.self)
  }
}

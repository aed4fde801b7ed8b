public import GeoIndex

/// Something that a place may have: a category, words, a condition, an offer.
public struct Want: Sendable {
  /// Which places meet a want.
  public enum Places: Sendable {
    /// Those that a filter matches.
    case filter(Filter)
    /// Those at some positions of the snapshot, for example the stores with an offer.
    case set(PositionSet)
  }

  /// What it is called in answers.
  public var label: String

  /// Which places meet it.
  public var places: Places

  /// What it is worth if `CoverQuery.Preference.value` decides: 0 to 10⁹, exact to a millionth.
  public var amount: Double

  /// Makes a want.
  public init(_ label: String, _ places: Places, amount: Double = 0) {
    self.label = label
    self.places = places
    self.amount = amount
  }
}

/// What sets of wants are worth.
struct WantWeights: Sendable {
  /// The worth of each want: 1, or its amount in millionths.
  let amounts: [Int]

  private let isCount: Bool

  init(_ query: CoverQuery) {
    isCount = query.preference == .count
    amounts = query.wants.map {
      query.preference == .count ? 1 : Int(($0.amount * 1_000_000).rounded())
    }
  }

  init(amounts: [Int]) {
    self.amounts = amounts
    isCount = amounts.allSatisfy { $0 == 1 }
  }

  /// The worth of the wants with a bit.
  @inline(__always)
  func callAsFunction(_ wants: UInt64) -> Int {
    if isCount { return wants.nonzeroBitCount }
    var (rest, sum) = (wants, 0)
    while rest != 0 {
      sum &+= amounts[rest.trailingZeroBitCount]
      rest &= rest &- 1
    }
    return sum
  }
}

extension WantWeights {
  /// The sum of amounts, free of the errors of adding them one by one.
  static func total(_ wants: [Want]) -> Double {
    Double(wants.reduce(0) { $0 + Int(($1.amount * 1_000_000).rounded()) }) / 1_000_000
  }
}

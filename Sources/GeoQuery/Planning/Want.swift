public import GeoIndex

/// Something that a place may have: a category, words, a condition, an offer.
public struct Want: Sendable {
  /// The places that meet a want.
  public enum Places: Sendable {
    /// Those that a filter matches.
    case filter(Filter)
    /// Those at given positions of the snapshot, for example the stores with an offer.
    case set(BitSet)
  }

  /// Its name in answers for programs.
  public var label: String

  /// Its name for people: for an offer, the offer's name instead of its id.
  public var title: String

  /// The places that meet it.
  public var places: Places

  /// Its worth if `CoverQuery.Preference.value` is chosen: 0 to 10⁹, exact to a millionth.
  public var amount: Double

  /// Makes a want.
  ///
  /// - Parameters:
  ///   - label: Its name in answers for programs.
  ///   - places: The places that meet it.
  ///   - amount: Its worth.
  ///   - title: Its name for people; `nil` for the label.
  public init(_ label: String, _ places: Places, amount: Double = 0, title: String? = nil) {
    self.label = label
    self.title = title ?? label
    self.places = places
    self.amount = amount
  }
}

/// The worth of sets of wants.
struct WantWeights: Sendable {
  /// The worth of each want: 1, or its amount in millionths.
  let amounts: [Int]

  /// The worth of the wants whose bits are set.
  func callAsFunction(_ wants: UInt64) -> Int {
    var (rest, sum) = (wants, 0)
    while rest != 0 {
      sum &+= amounts[rest.trailingZeroBitCount]
      rest &= rest &- 1
    }
    return sum
  }

  /// The maximum worth of 0, 1, 2… up to `count` masks if they do not overlap.
  func sums(of masks: [UInt64], _ count: Int) -> [Int] {
    let worths = masks.map { self($0) }.sorted(by: >)
    return (0...count).map { worths.prefix($0).reduce(0, +) }
  }
}

extension WantWeights {
  init(_ query: CoverQuery) {
    amounts = query.wants.map { query.preference == .count ? 1 : Self.millionths($0) }
  }

  private static func millionths(_ want: Want) -> Int { Int((want.amount * 1_000_000).rounded()) }

  /// The sum of the amounts, without the errors of adding them one by one.
  static func total(_ wants: [Want]) -> Double {
    Double(wants.map(millionths).reduce(0, +)) / 1_000_000
  }
}

/// The places that meet each want of a query.
struct WantSets {
  /// The places for each want, at any distance.
  let all: [BitSet]

  /// The places for each want, within the maximum distance.
  let within: [BitSet]

  init(_ query: CoverQuery, _ engine: QueryEngine) throws {
    let tree = engine.snapshot.tree
    let all = try query.wants.map { try engine.places(of: $0, until: query.deadline) }
    self.all = all
    guard query.maximumDistance < .infinity else {
      within = all
      return
    }
    let ball = tree.positionSet(within: query.maximumDistance, of: query.center)
    within = all.map { $0.intersection(ball) }
  }

  /// The places within the maximum distance; empty for wants without a worth.
  func counting(_ weights: WantWeights) -> [BitSet] {
    within.indices.map { want in
      weights.amounts[want] > 0 ? within[want] : BitSet(capacity: within[want].capacity)
    }
  }

  /// A place with the wants that it meets.
  func place(at position: Int, _ distance: Double) -> Cover.Place {
    Cover.Place(
      position: position,
      distance: distance,
      meets: all.indices.filter { all[$0].contains(position) }
    )
  }
}

public import GeoIndex

/// A few places that together meet wants, and the outcome of each want.
public struct Cover: Sendable {
  /// The number of wants that the places meet.
  public let met: Int

  /// The number of wants.
  public let of: Int

  /// The total amount of the wants that are met.
  public let value: Double

  /// The cost in meters, as defined by `CoverQuery.Cost`; 0 without a place.
  public let cost: Double

  /// Whether no other group comes before this one, ids included; false if the deadline ended the
  /// search.
  public let isOptimal: Bool

  /// The proven bounds, if the answer may not be the best; otherwise nil.
  public let bounds: Bounds?

  /// The places: in the order of the walk if that is the cost, otherwise nearest first.
  public let places: [Place]

  /// The outcome of each want, in the order of the query.
  public let wants: [Outcome]

  /// The bounds that a search has proven when its time was up.
  public struct Bounds: Sendable, Hashable {
    /// No group meets more wants than this, or is worth more if value is preferred.
    public let met: Double

    /// No group that meets as much as the answer has fewer places than this.
    public let places: Int

    /// No group that meets as much with this number of places costs less; in meters.
    public let cost: Double
  }

  /// One of the places.
  public struct Place: Sendable, Hashable {
    /// The position in the snapshot.
    public let position: Int

    /// The distance from the center in meters.
    public let distance: Double

    /// The wants that it meets, as indexes of the query's wants.
    public let meets: [Int]
  }

  /// The outcome of a want.
  public struct Outcome: Sendable, Hashable {
    /// Why a want is not met.
    public enum Reason: String, Sendable {
      /// It is an offer that has ended.
      case expired
      /// No place meets it.
      case nowhere
      /// No place within the maximum distance meets it.
      case beyond
      /// None of the chosen places meets it.
      case places
    }

    /// The label of the want.
    public let label: String

    /// The position of the nearest chosen place that meets it; nil if it is not met.
    public let by: Int?

    /// The number of places that meet it, at any distance.
    public let places: Int

    /// The nearest place that meets it, at any distance; nil if there is none.
    public let nearest: Neighbor?

    /// Why it is not met; nil if it is.
    public let unmet: Reason?
  }
}

/// A query for a few places near a point that together meet all or most wants.
///
/// The literature calls this the collective spatial keyword query (X. Cao et al., SIGMOD 2011,
/// doi 10.1145/1989323.1989363); with the cost `spread` it resembles the m-closest keywords query
/// (T. Guo et al., SIGMOD 2015, doi 10.1145/2723372.2723723).
public struct CoverQuery: Sendable {
  /// The cost of a group of places, in meters along the ellipsoid.
  public enum Cost: String, Sendable, CaseIterable {
    /// The maximum distance from the center; equal ones are ordered by the sum of these distances.
    case farthest
    /// The shortest walk from the center through all places, which ends at the last.
    case walk
    /// The maximum distance between two places; equal ones by the sum of distances from the center.
    case spread
  }

  /// What is maximized first.
  public enum Preference: String, Sendable, CaseIterable {
    /// The number of wants that are met.
    case count
    /// The total amount of the wants that are met.
    case value
  }

  /// The point from which distances are measured.
  public var center: Coordinate

  /// The wants: 1 to 64.
  public var wants: [Want]

  /// The maximum number of places: 1 to 5.
  public var places: Int

  /// The maximum distance from the center in meters, inclusive.
  ///
  /// For a group by `spread`, `QueryEngine.answer` replaces infinity with `spreadDistance`.
  public var maximumDistance: Double

  /// The cost of a group of places.
  public var cost: Cost

  /// What is maximized first.
  public var preference: Preference

  /// What all places must match, whatever the want.
  public var filter = Filter.all

  /// The ranking of single places; nil for a group.
  public var ranking: Ranking?

  /// The time at which the search ends with the best group found; nil for no limit.
  public var deadline: Deadline?

  /// A ranking of single places instead of a group.
  public struct Ranking: Sendable {
    /// The maximum number of places.
    public var count: Int

    /// Whether only the nearest place for each number of wants met is included.
    public var onlyNearest: Bool

    /// Whether only the best place of each chain is included.
    public var onePerChain: Bool

    /// Makes a ranking.
    public init(count: Int, onlyNearest: Bool = false, onePerChain: Bool = false) {
      self.count = count
      self.onlyNearest = onlyNearest
      self.onePerChain = onePerChain
    }
  }

  /// Makes a query for a group.
  public init(
    near center: Coordinate,
    wants: [Want],
    places: Int = CoverQuery.defaultPlaces,
    within maximumDistance: Double = .infinity,
    by cost: Cost = .farthest,
    preferring preference: Preference = .count,
    until deadline: Deadline? = nil
  ) {
    self.center = center
    self.wants = wants
    self.places = places
    self.maximumDistance = maximumDistance
    self.cost = cost
    self.preference = preference
    self.deadline = deadline
  }

  /// Checks the numbers.
  ///
  /// - Throws: `QueryError`.
  package func check() throws(QueryError) {
    try Self.checkCount(ofWants: wants.count)
    try Self.checkCount(ofPlaces: places)
    guard maximumDistance >= 0 else { throw QueryError("max", "must be zero or more meters") }
    for want in wants where !(want.amount >= 0 && want.amount <= 1e9) {
      throw QueryError("want", "the amount of \(want.label) must be 0 to 1000000000")
    }
  }

  /// The maximum number of wants.
  public static let maximumWants = 64

  /// The maximum number of places of a group.
  public static let maximumPlaces = 5

  /// The default maximum number of places of a group.
  public static let defaultPlaces = 3

  /// The default maximum distance for the cost `spread`, in meters.
  public static let spreadDistance = 50_000.0

  /// Checks the number of wants.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofWants count: Int) throws(QueryError) {
    guard (1...maximumWants).contains(count) else {
      throw QueryError("want", "there must be 1 to \(maximumWants) wants, not \(count)")
    }
  }

  /// Checks the number of places.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofPlaces count: Int) throws(QueryError) {
    guard (1...maximumPlaces).contains(count) else {
      throw QueryError("places", "must be 1 to \(maximumPlaces), not \(count)")
    }
  }
}

/// The answer to a query for a few places.
public struct CoverAnswer: Sendable {
  /// The query, with the places of offers.
  public let query: CoverQuery

  /// The result.
  public let result: Result

  /// The snapshot that was queried.
  public let snapshot: Snapshot

  /// A group, or single places.
  public enum Result: Sendable {
    /// The best group.
    case group(Cover)
    /// Single places, the best first.
    case ranking([Cover.Place])
  }

  /// The places, in their order.
  public var places: [Cover.Place] {
    switch result {
    case .group(let cover): cover.places
    case .ranking(let places): places
    }
  }

  /// Whether the same query gets the same answer: false if the time limit ended the search.
  public var isOptimal: Bool {
    if case .group(let cover) = result { cover.isOptimal } else { true }
  }
}

extension QueryEngine {
  /// Answers a query, which may want offers, with a group or a ranking.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - offers: Finds offers.
  /// - Returns: A group, or a ranking if the query asks for one.
  /// - Throws: `QueryError` if something is out of range or an offer is unknown; `QueryTimeout`.
  public func answer(
    _ query: CoverQuery,
    offers: OfferLookup = { _ in nil }
  ) throws -> CoverAnswer {
    var query = query
    query.wants = try query.wants.map { try $0.resolved(by: offers) }
    if query.cost == .spread, query.ranking == nil, query.maximumDistance == .infinity {
      query.maximumDistance = CoverQuery.spreadDistance
    }
    let result: CoverAnswer.Result =
      if let ranking = query.ranking {
        .ranking(try self.ranking(query, ranking))
      } else {
        .group(try cover(query))
      }
    return CoverAnswer(query: query, result: result, snapshot: snapshot)
  }

  /// The few places that together meet the most wants.
  ///
  /// The answer is the first of all groups of at most `query.places` places, each within
  /// `query.maximumDistance`, in this order: most wants met (or greatest total amount), fewest
  /// places, least cost, ids. Ids are compared as sorted lists, element by element. Costs are
  /// computed from reported distances, so the order is exact. If no want is met, there are no
  /// places.
  ///
  /// A want that cannot be met does not fail the query. If the deadline passes during the search,
  /// the answer is the best group found, and `Cover.bounds` has the proven bounds.
  ///
  /// - Parameter query: The wants, the center and the limits.
  /// - Returns: The places, and the outcome of each want.
  /// - Throws: `QueryError` if a number is out of range; `QueryTimeout` if the deadline passes before the
  ///   search has begun.
  public func cover(_ query: CoverQuery) throws -> Cover {
    try query.check()
    let sets = try WantSets(query, self)
    let tree = snapshot.tree
    let weights = WantWeights(query)
    var search = CoverSearch(
      tree: tree,
      center: query.center,
      sets: sets.counting(weights),
      maximumCount: query.places,
      cost: query.cost,
      weights: weights,
      budget: SearchBudget(until: query.deadline)
    )
    let found = search.run()
    let positions =
      query.cost == .walk
      ? CoverChoice.walk(found.choice.positions, from: query.center, in: tree).order
      : found.choice.positions
    var places = positions.map { sets.place(at: $0, query.center.distance(to: tree[$0])) }
    if query.cost != .walk {
      places.sort { ($0.distance, $0.position) < ($1.distance, $1.position) }
    }
    let wants = query.wants.indices.map { outcome(of: $0, query, sets, places) }
    let isMet = wants.map { $0.unmet == nil }
    let unit = query.preference == .count ? 1 : 1_000_000.0
    return Cover(
      met: isMet.count { $0 },
      of: wants.count,
      value: WantWeights.total(query.wants.indices.filter { isMet[$0] }.map { query.wants[$0] }),
      cost: found.choice.cost,
      isOptimal: found.isOptimal,
      bounds: found.isOptimal
        ? nil
        : Cover.Bounds(met: Double(found.worth) / unit, places: found.places, cost: found.cost),
      places: places,
      wants: wants
    )
  }

  private func outcome(
    of want: Int,
    _ query: CoverQuery,
    _ sets: WantSets,
    _ places: [Cover.Place]
  ) -> Cover.Outcome {
    let by = places.filter { $0.meets.contains(want) }
      .min { ($0.distance, $0.position) < ($1.distance, $1.position) }?.position
    let set = sets.all[want]
    let reason: Cover.Outcome.Reason =
      query.wants[want].isExpired
      ? .expired : set.isEmpty ? .nowhere : sets.within[want].isEmpty ? .beyond : .places
    return Cover.Outcome(
      label: query.wants[want].label,
      by: by,
      places: set.count,
      nearest: set.isEmpty
        ? nil : snapshot.tree.nearest(to: query.center, count: 1, where: set).first,
      unmet: by == nil ? reason : nil
    )
  }

  /// The number of places that meet a want.
  ///
  /// - Throws: `QueryError` for an offer; `QueryTimeout`.
  public func count(of want: Want, until deadline: Deadline? = nil) throws -> Int {
    try places(of: want, until: deadline).count
  }

  /// The places that meet a want.
  ///
  /// - Throws: `QueryTimeout`.
  func places(of want: Want, until deadline: Deadline?) throws -> BitSet {
    switch want.places {
    case .filter(let filter):
      return try positions(matching: filter, until: deadline) ?? BitSet(all: snapshot.count)
    case .offer:
      throw QueryError("want", "\(want.label) needs offers; use QueryEngine.answer(_:offers:)")
    case .set(let set):
      precondition(
        set.capacity == snapshot.count,
        "The capacity of a want's set must be the count of the snapshot."
      )
      return set
    }
  }

  /// Single places in order of the wants that they meet.
  ///
  /// The order is (number or amount of wants met, descending; distance; id). Places that meet no
  /// want, or are beyond `query.maximumDistance`, are omitted.
  ///
  /// - Throws: `QueryError` if a number is out of range; `QueryTimeout`.
  func ranking(_ query: CoverQuery, _ rules: CoverQuery.Ranking) throws -> [Cover.Place] {
    let (count, onlyNearest) = (rules.count, rules.onlyNearest)
    try query.check()
    guard count >= 0 else { throw QueryError("rank", "must be zero or more") }
    let sets = try WantSets(query, self)
    let weights = WantWeights(query)
    var budget = SearchBudget(until: query.deadline)
    guard let groups = try? PlaceGroups(sets.counting(weights), &budget) else {
      throw QueryTimeout()
    }
    let chains = rules.onePerChain ? snapshot.columns.codes[.chain] : nil
    // those that are listed, with the other places of their chains
    var listed = BitSet(capacity: snapshot.count)
    var found: [Cover.Place] = []
    for worth in Set(groups.wants.map { weights($0) }).sorted(by: >) where found.count < count {
      let set = groups.set(capacity: snapshot.count) { weights($0) == worth }
      repeat {
        try query.deadline?.check()
        let nearest = snapshot.tree.nearest(
          to: query.center,
          count: onlyNearest || chains != nil ? 1 : count - found.count,
          where: set.subtracting(listed)
        )
        found += nearest.map { sets.place(at: $0.index, $0.distance) }
        guard let chains, let place = nearest.first?.index else { break }
        listed.insert(place)
        if let code = chains.code(at: place) {
          listed.formUnion(chains.positions(ofCodes: (0..<chains.texts.count).map { $0 == code }))
        }
      } while !onlyNearest && found.count < count
    }
    return found
  }
}

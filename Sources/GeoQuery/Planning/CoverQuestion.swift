public import GeoIndex

/// A question for a few places that have all that is wanted, its wants as texts: what the command line
/// and the service ask.
public struct CoverQuestion: Sendable {
  /// The point that distances are measured from.
  public var center: Coordinate

  /// What is wanted.
  public var wants: [WantText]

  /// The greatest number of places.
  public var places = CoverQuestion.usualPlaces

  /// Meters from the center.
  public var maximumDistance = Double.infinity

  /// What a group of places costs.
  public var cost = CoverQuery.Cost.farthest

  /// What counts most.
  public var preference = CoverQuery.Preference.count

  /// Which single places to rank; nil asks for a group.
  public var ranking: Ranking?

  /// How many places a group has at most unless the question says it.
  public static let usualPlaces = 3

  /// Single places instead of a group.
  public struct Ranking: Sendable {
    /// How many, at most.
    public var count: Int

    /// Whether only the nearest for each number of wants met is listed.
    public var onlyNearest: Bool

    /// Makes a ranking.
    public init(count: Int, onlyNearest: Bool = false) {
      self.count = count
      self.onlyNearest = onlyNearest
    }
  }

  /// Makes a question.
  public init(near center: Coordinate, wants: [WantText]) {
    self.center = center
    self.wants = wants
  }
}

/// The answer to a question for a few places.
public struct CoverAnswer: Sendable {
  /// What was asked.
  public let query: CoverQuery

  /// The answer.
  public let result: Result

  /// The snapshot that it is from.
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

  /// Whether the same question has the same answer: false if the time limit has decided.
  public var isOptimal: Bool {
    if case .group(let cover) = result { cover.isOptimal } else { true }
  }
}

extension QueryEngine {
  /// Answers a question.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - offers: Finds the places of offers.
  ///   - deadline: When to give up, as `CoverQuery.deadline`.
  /// - Returns: A group, or a ranking if the question asks for one.
  /// - Throws: `QueryError` if something is out of range or an offer is not known; `QueryTimeout`.
  public func answer(
    _ question: CoverQuestion,
    offers: OfferLookup,
    until deadline: Deadline? = nil
  ) throws -> CoverAnswer {
    let query = CoverQuery(
      near: question.center,
      wants: try question.wants.map { try Want($0, offers: offers) },
      places: question.places,
      within: question.maximumDistance,
      by: question.cost,
      preferring: question.preference,
      until: deadline
    )
    let result: CoverAnswer.Result =
      if let ranking = question.ranking {
        .ranking(
          try coverRanking(query, count: ranking.count, onlyNearest: ranking.onlyNearest)
        )
      } else {
        .group(try cover(query))
      }
    return CoverAnswer(query: query, result: result, snapshot: snapshot)
  }
}

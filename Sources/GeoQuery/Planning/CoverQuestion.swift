public import GeoIndex

/// A `CoverQuery` whose wants are still text, as the command line and the service receive them.
public struct CoverQuestion: Sendable {
  /// The point from which distances are measured.
  public var center: Coordinate

  /// The wants.
  public var wants: [WantText]

  /// The maximum number of places.
  public var places = CoverQuestion.usualPlaces

  /// The maximum distance from the center in meters.
  ///
  /// For the cost `spread`, infinity stands for `spreadDistance`: places that are near each other may
  /// be anywhere.
  public var maximumDistance = Double.infinity

  /// The cost of a group of places.
  public var cost = CoverQuery.Cost.farthest

  /// What is maximized first.
  public var preference = CoverQuery.Preference.count

  /// The ranking of single places; nil for a group.
  public var ranking: Ranking?

  /// The default maximum distance for the cost `spread`, in meters.
  public static let spreadDistance = 50_000.0

  /// The default maximum number of places in a group.
  public static let usualPlaces = 3

  /// A ranking of single places instead of a group.
  public struct Ranking: Sendable {
    /// The maximum number of places.
    public var count: Int

    /// Whether only the nearest place for each number of wants met is included.
    public var onlyNearest: Bool

    /// Makes a ranking.
    public init(count: Int, onlyNearest: Bool = false) {
      self.count = count
      self.onlyNearest = onlyNearest
    }
  }

  /// The maximum distance, with its default.
  fileprivate var reach: Double {
    cost == .spread && ranking == nil && maximumDistance == .infinity
      ? Self.spreadDistance : maximumDistance
  }

  /// Makes a question.
  public init(near center: Coordinate, wants: [WantText]) {
    self.center = center
    self.wants = wants
  }
}

/// The answer to a question for a few places.
public struct CoverAnswer: Sendable {
  /// The query.
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

  /// Whether the same question gets the same answer: false if the time limit ended the search.
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
  ///   - deadline: The end of the search, as `CoverQuery.deadline`.
  /// - Returns: A group, or a ranking if the question asks for one.
  /// - Throws: `QueryError` if something is out of range or an offer is unknown; `QueryTimeout`.
  public func answer(
    _ question: CoverQuestion,
    offers: OfferLookup,
    until deadline: Deadline? = nil
  ) throws -> CoverAnswer {
    let query = CoverQuery(
      near: question.center,
      wants: try question.wants.map { try Want($0, offers: offers) },
      places: question.places,
      within: question.reach,
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

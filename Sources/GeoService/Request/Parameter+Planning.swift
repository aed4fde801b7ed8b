import GeoIndex
import GeoQuery

/// The parameters of `/cover` and `/meet`.
extension Parameter {
  static let want = Parameter(
    name: "want",
    summary:
      "What is wanted: a category (Thai, category:Thai), words (text:craft beer), a condition "
      + "(rating >= 4) or an offer (offer:7533), of at most \(WantParser.greatestLength) bytes of UTF-8; "
      + "repeat it for each want, at most \(CoverQuery.maximumWants) times.",
    kind: .want,
    isRequired: true,
    maximumTimes: CoverQuery.maximumWants
  )

  static let places = Parameter(
    name: "places",
    summary: "The greatest number of places of a group.",
    kind: .integer(1...CoverQuery.maximumPlaces, clamps: false),
    defaultValue: "\(CoverQuestion.defaultPlaces)"
  )

  static let coverBy = Parameter(
    name: "by",
    summary:
      "What a group costs, in meters: the largest distance from the point; the shortest walk from it "
      + "through all places; or the spread, the largest distance between two places, which "
      + "are within 50 km of the point unless max is given. Without it: farthest.",
    kind: .word(CoverQuery.Cost.allCases.map(\.rawValue))
  )

  static let prefer = Parameter(
    name: "prefer",
    summary: "Maximize the wants met (count), or the sum of their offers' amounts (value).",
    kind: .word(CoverQuery.Preference.allCases.map(\.rawValue))
  )

  static let rank = Parameter(
    name: "rank",
    summary:
      "Lists up to this many single places instead of a group; those that meet the most wants come first.",
    kind: .integer(1...ServiceLimits.count, clamps: false)
  )

  static let frontier = Parameter(
    name: "frontier",
    summary: "Lists single places, only the nearest for each number of wants met.",
    kind: .word(["true"])
  )

  static let at = Parameter(
    name: "at",
    summary:
      "The position of one person: latitude,longitude in degrees; repeat it for each, "
      + "2 to \(Meeting.maximumPoints) times.",
    kind: .point,
    isRequired: true,
    maximumTimes: Meeting.maximumPoints
  )

  static let meetBy = Parameter(
    name: "by",
    summary: "What to minimize: the sum of the distances, or the largest of them. Without it: sum.",
    kind: .word(GroupCost.allCases.map(\.rawValue))
  )

  static let planFormat = Parameter(
    name: "f",
    summary: format.summary,
    kind: .word(["json", "geojson", "html"])
  )

  /// Parses a point `latitude,longitude`; nil if the text is not one.
  static func point(_ text: String) -> Coordinate? {
    let numbers = entries(of: text).map { DecimalText.number($0) }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
      return nil
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

extension Parameters {
  /// The question of `/cover`.
  ///
  /// - Throws: `Problem` 400.
  func coverQuestion() throws -> CoverQuestion {
    guard let point else { throw Problem.invalid("lat", "is missing") }
    do throws(QueryError) {
      var question = CoverQuestion(
        near: point,
        wants: try WantParser.list(texts(ofRepeated: .want))
      )
      question.places = integer(.places)
      question.maximumDistance = number(.maximumDistance) ?? .infinity
      question.cost = text(.coverBy).flatMap { CoverQuery.Cost(rawValue: $0) } ?? .farthest
      question.preference = text(.prefer).flatMap { CoverQuery.Preference(rawValue: $0) } ?? .count
      question.ranking = try ranking()
      return question
    } catch {
      throw Problem(error)
    }
  }

  private func ranking() throws(QueryError) -> CoverQuestion.Ranking? {
    let isFrontier = text(.frontier) != nil
    guard text(.rank) != nil || isFrontier else { return nil }
    guard text(.places) == nil, text(.coverBy) == nil else {
      throw QueryError(
        isFrontier ? "frontier" : "rank",
        "cannot be combined with places or by, which apply to a group of places"
      )
    }
    let count = number(.rank).map { Int($0) } ?? ServiceLimits.count
    return CoverQuestion.Ranking(count: count, onlyNearest: isFrontier)
  }

  /// The points of `/meet`.
  ///
  /// - Throws: `Problem` 400.
  func meetingPoints() throws -> [Coordinate] {
    let points = texts(ofRepeated: .at).compactMap(Parameter.point)
    do throws(QueryError) {
      try Meeting.checkCount(ofPoints: points.count)
    } catch {
      throw Problem(error)
    }
    return points
  }
}

import GeoQuery

/// What a planning command has found, before it is written.
struct PlanReport {
  /// The answer for programs.
  let text: PlanText

  /// The lines for people, of some keys or the usual ones, in a width.
  let table: (_ fields: [RestaurantField]?, _ width: Int, Style) -> [String]

  /// Sentences that would help.
  let hints: () throws -> [String]
}

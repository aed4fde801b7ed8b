import GeoQuery

/// The result of a planning command, before it is written.
struct PlanReport {
  /// The answer for programs.
  let text: PlanWriter

  /// The lines for people, with the given keys or the usual ones, in a width.
  let table: (_ fields: [RestaurantField]?, _ width: Int, Style) -> [String]

  /// Hints to print.
  let hints: () throws -> [String]
}

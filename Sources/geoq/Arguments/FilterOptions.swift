import ArgumentParser
import GeoQuery

/// Which restaurants count.
struct FilterOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only this category, without regard to case and accents; repeat for any of several.",
      valueName: "text"
    )
  )
  var category: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only where every word begins a word of name, category, address or city.",
      valueName: "text"
    )
  )
  var text: String?

  @Option(
    name: .customLong("where"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only where a field compares so, as in 'rating >= 4'; repeat for all of several; see geoq help filters.",
      valueName: "field op value"
    )
  )
  var conditions: [String] = []

  /// The filter.
  ///
  /// - Throws: `ValidationError` naming `--where` and what is wrong with it.
  func filter() throws -> Filter {
    Filter(categories: category, text: text ?? "", conditions: try conditions.map(condition))
  }

  func validate() throws {
    _ = try filter()
  }

  private func condition(_ text: String) throws -> Condition {
    do {
      return try Condition(text)
    } catch {
      throw ValidationError("--\(error.parameter): \(terminalSafe(error.reason))")
    }
  }

  /// What may be wrong with a category if nothing was found.
  func hint(from engine: QueryEngine) throws -> String? {
    guard !category.isEmpty else { return nil }
    let known = try engine.facets(by: .category, of: Query(.everywhere)).compactMap(\.value)
    let unknown = category.first { name in
      !known.contains(where: CategoryNames([name]).contain)
    }
    guard let unknown else { return nil }
    let suggestion = closest(to: unknown, among: known).map { "; did you mean \"\($0)\"?" }
    return "no category \"\(unknown)\"\(suggestion ?? "; geoq info lists them")"
  }
}

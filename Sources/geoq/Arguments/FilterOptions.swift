import ArgumentParser
import GeoQuery

/// The options of the filter.
struct FilterOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only this category, ignoring case and accents; may be repeated (any of them).",
      valueName: "text"
    ),
    completion: .custom { words, _, prefix in StoreCompletions(words).categories(prefix) }
  )
  var category: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only restaurants in which each of these words starts a word in name, category, address or city.",
      valueName: "text"
    )
  )
  var text: String?

  @Option(
    name: .customLong("where"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only restaurants that meet this condition, such as 'rating >= 4 and city = Dallas'; may be repeated (all of them). See geoq help filters.",
      valueName: "field op value"
    )
  )
  var conditions: [String] = []

  /// The filter.
  ///
  /// - Throws: `ValidationError` about `--where` if a condition is invalid.
  func filter() throws -> Filter {
    Filter(categories: category, text: text ?? "", conditions: try conditions.flatMap(list))
  }

  func validate() throws {
    _ = try filter()
  }

  private func list(_ text: String) throws -> [Condition] {
    do {
      return try Condition.list(text)
    } catch {
      throw ValidationError(complaint(about: "--\(error.parameter)", terminalSafe(error.reason)))
    }
  }
}

import ArgumentParser
import GeoQuery

/// Which restaurants count.
struct FilterOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only this category, without regard to case and accents; repeat for any of several.",
      valueName: "text"
    ),
    completion: .custom { words, _, prefix in StoreCompletions(words).categories(prefix) }
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
      "Only where the condition holds, as in 'rating >= 4 and city = Dallas'; repeat for all of several; see geoq help filters.",
      valueName: "field op value"
    )
  )
  var conditions: [String] = []

  /// The filter.
  ///
  /// - Throws: `ValidationError` naming `--where` and what is wrong with it.
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
      throw ValidationError("--\(error.parameter): \(terminalSafe(error.reason))")
    }
  }
}

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

  var filter: Filter { Filter(categories: category, text: text ?? "") }

  /// Where nothing was found, what may be wrong with a category.
  func hint(from store: RestaurantStore) throws -> String? {
    guard !category.isEmpty else { return nil }
    let known = try store.categories()
    let unknown = category.first { name in
      !known.contains { Filter.isSameCategory($0, name) }
    }
    guard let unknown else { return nil }
    let suggestion = closest(to: unknown, among: known).map { "; did you mean \"\($0)\"?" }
    return "no category \"\(unknown)\"\(suggestion ?? "; geoq info lists them")"
  }
}

/// How many answers.
struct PageOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("At most so many; a table shows 100 unless told.", valueName: "n")
  )
  var limit: Int?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit: must be 0 or more, got \(limit)") }
  }
}

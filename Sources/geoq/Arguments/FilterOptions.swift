import ArgumentParser
import GeoIndex
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
      "Only restaurants for which this is true, such as 'rating >= 4 and (city = Dallas or city = Plano)'; may be repeated (all of them). See geoq help filters.",
      valueName: "filter"
    )
  )
  var conditions: [String] = []

  @Option(
    help: ArgumentHelp(
      "The language of --where: geoq, or CQL2 as \(Self.languages).",
      valueName: "language"
    )
  )
  var filterLang: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only restaurants in this area or on its edge: a file with polygons (GeoJSON, WKT, or what GDAL reads), GeoJSON or WKT itself, or a saved area (geoq area).",
      valueName: "area"
    ),
    completion: .file()
  )
  var within: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only restaurants that are open at this time of their own clocks: now, 12:30, 'Fri 12:30' or '2026-12-24 12:30'.",
      valueName: "time"
    )
  )
  var open: String?

  @Flag(help: "With --open: also restaurants whose hours are not known.")
  var openUnknown = false

  private static let languages = FilterLanguage.allCases.map(\.rawValue).dropFirst()
    .joined(separator: " or ")

  /// The filter; the area is read from its file or from the store.
  ///
  /// - Throws: `ValidationError` about the option that is invalid; `CommandFailure` if the area cannot be
  ///   read.
  func filter(_ globals: GlobalOptions) throws -> Filter {
    var filter = try filterWithoutArea()
    if let within { filter.area = try AreaArgument.area(within, globals) }
    return filter
  }

  func validate() throws {
    _ = try filterWithoutArea()
    if openUnknown, open == nil { throw ValidationError("--open-unknown goes with --open") }
  }

  private func filterWithoutArea() throws -> Filter {
    var filter = Filter(categories: category, text: text ?? "")
    guard let language = FilterLanguage(name: filterLang ?? FilterLanguage.short.rawValue) else {
      throw ValidationError(
        "--filter-lang: expected geoq, \(Self.languages), got \"\(terminalSafe(filterLang ?? ""))\""
      )
    }
    try Self.naming {
      for condition in conditions {
        filter.require(try FilterExpression(condition, in: language))
      }
      filter.open = try open.map { try OpenAt($0, now: .now, includesUnknown: openUnknown) }
    }
    return filter
  }

  /// Names the option in an error about a part of the query.
  private static func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as QueryError {
      throw ValidationError(complaint(about: "--\(error.parameter)", terminalSafe(error.reason)))
    }
  }
}

public import ArgumentParser
import GeoIndex
public import GeoQuery

struct CountOptions: ParsableArguments {
  @Option(
    help: "Print counts by this field (any, extra.NAME too) instead of restaurants.".value("field")
  )
  var facets: Facet.Key?
}

struct FilterOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: "Only this category, ignoring case and accents; may be repeated (any of them)."
      .value("text"),
    completion: .custom { words, _, prefix in StoreCompletions(words).categories(prefix) }
  )
  var category: [String] = []

  @Option(
    parsing: .unconditional,
    help:
      "Only restaurants in which each of these words starts a word in name, category, address or city."
      .value("text")
  )
  var text: String?

  @Option(
    name: .customLong("where"),
    parsing: .unconditionalSingleValue,
    help:
      "Only restaurants for which this is true, such as 'rating >= 4 and (city = Dallas or city = Plano)'; may be repeated (all of them). See geoq help filters."
      .value("filter")
  )
  var conditions: [String] = []

  @Option(help: "The language of --where: geoq, or CQL2 as \(Self.languages).".value("language"))
  var filterLang: String?

  @Option(
    parsing: .unconditional,
    help:
      "Only restaurants in this area or on its edge: a file with polygons (GeoJSON, WKT, or what GDAL reads), GeoJSON or WKT itself, or a saved area (geoq area)."
      .value("area"),
    completion: .file()
  )
  var within: String?

  @Option(
    parsing: .unconditional,
    help:
      "Only restaurants that are open at this time of their own clocks: now, 12:30, 'Fri 12:30' or '2026-12-24 12:30'."
      .value("time")
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
      throw unexpected("--filter-lang", filterLang ?? "", "geoq, \(Self.languages)")
    }
    try namingOption {
      for condition in conditions {
        filter.require(try FilterExpression(condition, in: language))
      }
      filter.open = try open.map { try OpenAt($0, now: .now, includesUnknown: openUnknown) }
    }
    return filter
  }
}

extension Facet.Key: ExpressibleByArgument {
  /// Finds a field by its name in any case.
  public init?(argument: String) { try? self.init(argument) }

  /// The names of the fields that restaurants can be counted by.
  public static var allValueStrings: [String] { Facet.allFields.map(\.usage) }
}

/// Which page of the results, in which order.
struct PageOptions: ParsableArguments {
  @Option(
    help: """
      Sort by this key, then by that of the next --sort (four at most), then by id; -KEY sorts \
      descending. Missing values come last. \
      Keys are \(keyNames.filter { $0 != Order.Key.distance.rawValue }.joined(separator: ", ")), \
      and distance if the query has a point.
      """.value("key"),
    completion: .list(keyNames + keyNames.map { "-" + $0 })
  )
  var sort: [String] = []

  @Flag(help: "With one --sort: sort descending.")
  var desc = false

  @Option(
    parsing: .unconditional,
    help: "Maximum number of results; see geoq help filters.".value("n")
  )
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: "Continue after the page that printed this cursor; repeat the other options unchanged."
      .value("cursor")
  )
  var cursor: String?

  private static let keyNames = Order.Key.allCases.map(\.rawValue)

  /// The query for a page of what matches in a region.
  func query(
    in region: Query.Region,
    matching filter: Filter,
    explained: Bool = false
  ) throws -> Query {
    Query(
      region,
      matching: filter,
      in: try order(),
      limit: limit,
      from: cursor,
      explained: explained
    )
  }

  /// The chosen order; nil for the command's default.
  ///
  /// - Throws: `ValidationError` if there is no such key.
  func order() throws -> Order? {
    if sort.isEmpty { return nil }
    do {
      return try Order(sort.flatMap { try $0.parts(between: ",").map(term) })
    } catch let error as QueryError {
      throw ValidationError("--sort \(error.reason)")
    }
  }

  private func term(_ sort: String) throws -> Order.Term {
    let isMinus = sort.hasPrefix("-")
    let name = isMinus || sort.hasPrefix("+") ? String(sort.dropFirst()) : sort
    let lower = UTF8Key(name.lowercased())
    if let key = Order.Key.allCases.first(where: { UTF8Key($0.rawValue.lowercased()) == lower }) {
      return Order.Term(key, descending: desc || isMinus)
    }
    let hint = (Self.meant[lower.text] ?? closest(to: name, among: Self.keyNames))
      .map { "; did you mean \"\(isMinus ? "-" : "")\($0)\"?" }
    throw ValidationError(
      "--sort: unknown key \"\(terminalSafe(name))\""
        + (hint ?? "; keys are \(Self.keyNames.joined(separator: ", "))")
    )
  }

  /// Common synonyms of the keys.
  private static let meant = [
    "price": "priceLevel", "cost": "priceLevel", "reviews": "reviewCount", "votes": "reviewCount",
    "popularity": "reviewCount", "stars": "rating", "score": "rating", "near": "distance",
    "nearest": "distance", "title": "name", "type": "category", "cuisine": "category",
    "town": "city",
  ]

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more, got \(limit)") }
    _ = try order()
    if desc, sort.count != 1 {
      throw ValidationError(
        sort.count > 1
          ? "--desc goes with one --sort; write --sort=-KEY for each that descends"
          : "--desc goes with --sort; keys are \(Self.keyNames.joined(separator: ", "))"
      )
    }
  }
}

struct ExplainOptions: ParsableArguments {
  @Flag(
    help: "Report index statistics, in the document of -f json or on standard error."
  )
  var explain = false
}

import ArgumentParser
import GeoIndex
import GeoQuery

/// `geoq search`.
struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find restaurants by words in name, category, address or city.",
    discussion: """
        geoq search glorias
        geoq search thai dal --at 32.95,-96.82 --limit 10
        geoq search burger --where 'rating >= 4' --sort rating --desc

      Each search word must start a word in name, category, address or city. Case, accents and \
      apostrophes are ignored: gloria finds Gloria's, cafe finds Café. With --at, results are sorted by \
      distance, then by id; otherwise by id.
      """
  )

  @Argument(help: "The words; write -- before them if one starts with a hyphen.")
  var words: [String]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Sort by the distance from this point.", valueName: "lat,lon")
  )
  var at: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var sorting: SortOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var facets: FacetOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try region()
    if words.allSatisfy(\.trimmingBlanks.isEmpty) {
      throw ValidationError("expected words to search for; geoq list lists all restaurants")
    }
  }

  func run() throws {
    var filter = try filters.filter(globals)
    filter.text = (words + [filter.text]).joined(separator: " ")
    try QueryRun(globals: globals, output: output).answer(
      Query(
        try region(),
        matching: filter,
        in: try sorting.order(),
        limit: page.limit,
        from: page.cursor
      ),
      filters: filters,
      facets: facets
    )
  }

  private func region() throws -> Query.Region {
    guard let at else { return .everywhere }
    return .radius(.infinity, of: try named("--at") { try parsePoint(at) })
  }
}

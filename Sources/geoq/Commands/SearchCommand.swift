import ArgumentParser
import GeoIndex
import GeoQuery

/// `geoq search`.
struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find restaurants by words of name, category, address or city.",
    discussion: """
        geoq search glorias
        geoq search thai dal --at 32.95,-96.82 --limit 10
        geoq search burger --where 'rating >= 4' --sort rating --desc

      Every word given begins a word of name, category, street or city, whatever the case, accents and \
      apostrophes: gloria finds Gloria's, cafe finds Café. The order is by distance from --at, \
      LAT,LON, where that is given, then by id.
      """
  )

  @Argument(help: "The words; after -- where one begins with a hyphen.")
  var words: [String]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Order by the distance from this point.", valueName: "lat,lon")
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
    if words.allSatisfy({ trimmingBlanks($0).isEmpty }) {
      throw ValidationError("expected a text to search for; geoq list lists all")
    }
  }

  func run() throws {
    var filter = try filters.filter()
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

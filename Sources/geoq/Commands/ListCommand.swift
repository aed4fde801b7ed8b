import ArgumentParser
import GeoQuery

/// `geoq list`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List all restaurants, or those matching a filter.",
    discussion: """
        geoq list
        geoq list --category "Tap House"
        geoq list --text glorias -f ids
        geoq list --where 'city = Dallas' --sort name --limit 20
        geoq list --where 'rating >= 4' --facets category

      Results are sorted by id. With --limit, the cursor of the next page is printed on standard \
      error, or as next in JSON.
      """
  )

  @OptionGroup var filters: FilterOptions
  @OptionGroup var sorting: SortOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var facets: FacetOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try QueryRun(globals: globals, output: output).answer(
      Query(
        .everywhere,
        matching: try filters.filter(globals),
        in: try sorting.order(),
        limit: page.limit,
        from: page.cursor
      ),
      filters: filters,
      facets: facets
    )
  }
}

import ArgumentParser
import GeoQuery

/// `geoq list`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List all restaurants, or those that a filter takes.",
    discussion: """
        geoq list
        geoq list --category "Tap House"
        geoq list --text glorias -f ids

      The order is by id.
      """
  )

  @OptionGroup var filters: FilterOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try QueryRun(globals: globals, output: output).answer(
      Query(.everywhere, matching: filters.filter, limit: page.limit),
      filters: filters
    )
  }
}

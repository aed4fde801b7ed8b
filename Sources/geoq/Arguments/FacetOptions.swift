public import ArgumentParser
public import GeoQuery

/// `--facets`.
struct FacetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Print counts by this field (any, extra.NAME too) instead of restaurants.",
      valueName: "field"
    )
  )
  var facets: Facet.Key?

  /// Rejects `--facets` for many points.
  func checkBatch(_ option: String) throws {
    if facets != nil { throw ValidationError("--facets does not go with \(option)") }
  }
}

extension Facet.Key: ExpressibleByArgument {
  /// Finds a field by its name in any case.
  public init?(argument: String) { try? self.init(argument) }

  /// The names of the fields that restaurants can be counted by.
  public static var allValueStrings: [String] { Facet.allFields.map(\.usage) }
}

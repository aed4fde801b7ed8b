public import ArgumentParser
public import GeoQuery

/// `--facets`.
struct FacetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Print counts by this field instead of restaurants.",
      valueName: "field"
    )
  )
  var facets: Condition.Field?

  /// Rejects `--facets` for many points.
  func checkBatch(_ option: String) throws {
    if facets != nil { throw ValidationError("--facets does not go with \(option)") }
  }
}

extension Condition.Field: ExpressibleByArgument {
  /// Finds a field by its name in any case.
  public init?(argument: String) { self.init(name: argument) }

  /// The names of the fields that restaurants can be counted by.
  public static var allValueStrings: [String] { Facet.fields.map(\.rawValue) }
}

public import ArgumentParser
public import GeoQuery

/// `--facets`.
struct FacetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Count the restaurants by this field instead of listing them.",
      valueName: "field"
    )
  )
  var facets: Condition.Field?

  /// Refuses counts if many points are asked.
  func checkBatch(_ option: String) throws {
    if facets != nil { throw ValidationError("--facets does not go with \(option)") }
  }
}

extension Condition.Field: ExpressibleByArgument {
  /// A field by its name, without regard to case.
  public init?(argument: String) { self.init(name: argument) }

  /// The fields that restaurants are counted by.
  public static var allValueStrings: [String] { Facet.fields.map(\.rawValue) }
}

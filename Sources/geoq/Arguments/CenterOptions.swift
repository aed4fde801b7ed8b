import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

/// `--at` and `--at-file`: one point, or many.
struct CenterOptions: ParsableArguments {
  // a longitude or latitude may start with a minus, which the parser would read as an option
  @Option(
    parsing: .unconditional,
    help:
      "The point to measure from: LAT,LON, id:ID or name:NAME; - reads points from standard input."
      .value("lat,lon")
  )
  var at: String?

  @Option(
    help:
      "Answer for each point in this file: any format of geoq import, or one LAT,LON per line; - is standard input."
      .value("file"),
    completion: .file(extensions: ["csv", "tsv", "txt", "geojson", "json"])
  )
  var atFile: String?

  @Option(
    help: "With --at-file or --at -: identify points by this column, not by line number."
      .value("column")
  )
  var idCol: String?

  @Flag(help: "With --at-file or --at -: stop at the first invalid point.")
  var strict = false

  @Flag(
    help:
      "With --at-file or --at -: keep points without a result; their row has only their columns."
  )
  var keepUnmatched = false

  /// Whether many points are given.
  var isBatch: Bool { at == "-" || atFile != nil }

  /// The name of the option that gives many points.
  var batchOption: String { atFile == nil ? "--at -" : "--at-file" }

  func validate() throws {
    if at != nil, atFile != nil { throw ValidationError("give --at or --at-file, not both") }
    if isBatch { return }
    if idCol != nil { throw ValidationError("--id-col: goes with --at-file and --at - only") }
    if strict {
      throw ValidationError(
        "--strict: goes with --at - and --at-file only, where a point may be bad"
      )
    }
    guard let at else {
      throw ValidationError("give a point: --at LAT,LON, or many: --at-file FILE")
    }
    try checkPoint(at)
  }
}

/// `--at` with `--radius`, or `--bbox`: a part of the world for commands about any query.
struct RegionOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "The point to measure from: LAT,LON, id:ID or name:NAME.".value("lat,lon")
  )
  var at: String?

  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: "With --at: all within this distance, in meters or with m, km, mi, ft.".value("dist")
  )
  var radius: String?

  @Option(parsing: .unconditional, help: "All in this box, longitude first.".value("w,s,e,n"))
  var bbox: String?

  /// The circle, the box, or everywhere; nil for a point without a radius.
  func region(_ globals: GlobalOptions) throws -> Query.Region? {
    if let bbox {
      guard at == nil else { throw ValidationError("give --at or --bbox, not both") }
      guard radius == nil else { throw Self.needsPoint("-r needs") }
      return .box(try named("--bbox") { try parseBox(bbox) })
    }
    guard let center = try center(globals) else {
      guard radius == nil else { throw Self.needsPoint("-r needs") }
      return .everywhere
    }
    return try radius.map { radius in
      .radius(try named("--radius") { try parseDistance(radius) }, of: center)
    }
  }

  /// The point; nil if it is not given.
  func center(_ globals: GlobalOptions) throws -> Coordinate? { try at.map(globals.point) }

  /// Whether the point is a restaurant's, which is looked up when the command runs.
  var isReference: Bool { at.flatMap(RestaurantReference.init) != nil }

  /// The error of options without a point.
  static func needsPoint(_ options: String) -> ValidationError {
    ValidationError("\(options) a point: --at LAT,LON")
  }
}

/// A restaurant as the value of `--at`: `id:ID`, or `name:NAME`.
struct RestaurantReference {
  private let key: Condition.Field
  private let value: String

  /// The maximum number of restaurants that an error lists.
  private static let maximumListed = 8

  /// The reference; nil for a text of another form, such as a coordinate.
  init?(_ text: String) {
    let text = text.trimmingBlanks
    if text.begins(with: "id:") {
      (key, value) = (.id, String(text.dropFirst(3)))
    } else if text.begins(with: "name:") {
      (key, value) = (.name, String(text.dropFirst(5)).trimmingBlanks)
    } else {
      return nil
    }
    if value.isEmpty { return nil }
  }

  /// The position of the restaurant with this id, or with this name: case and accents do not matter, and a
  /// part of the name will do if no restaurant has all of it.
  ///
  /// - Throws: `CommandFailure` if there is none, or if several have the name, which it lists.
  func coordinate(_ globals: GlobalOptions) throws -> Coordinate {
    let store = try globals.openStore()
    defer { try? store.close() }
    let engine = try globals.engine(store)
    if key == .id {
      if let found = try engine.snapshot.restaurant(id: value) { return found.coordinate }
      throw try CommandFailure(
        unknownIDs: [value],
        in: store,
        similar: engine.snapshot.ids(similarTo: value),
        foundNothing: false
      )
    }
    // phones write another apostrophe than most feeds
    let others = [value.replacing("’", with: "'"), value.replacing("'", with: "’")]
    let spellings = [value] + others.filter { UTF8Key($0) != UTF8Key(value) }
    for comparison in [Condition.Comparison.equal, .contains] {
      for spelling in spellings {
        let named = Filter(conditions: [try Condition(.name, comparison, spelling)])
        let page = try engine.page(
          Query(.everywhere, matching: named, limit: Self.maximumListed)
        )
        let found = try page.matches.map(\.restaurant)
        if page.total == 1, let only = found.first { return only.coordinate }
        guard found.isEmpty else { throw Self.choice(value, found, of: page.total) }
      }
    }
    let name = terminalSafe(value)
    throw CommandFailure.other(
      "--at: no restaurant is called \"\(name)\"; geoq search finds words in names and addresses"
    )
  }

  private static func choice(_ name: String, _ found: [Restaurant], of total: Int) -> CommandFailure
  {
    let lines = found.map { restaurant in
      let place = [restaurant.address.street, restaurant.address.city].compactMap(\.self).joined(
        separator: ", "
      )
      return "  id:\(restaurant.id)  \(restaurant.name)" + (place.isEmpty ? "" : ", \(place)")
    }
    let more = total > found.count ? ["  and \(grouped(total - found.count)) more"] : []
    return CommandFailure.other(
      "--at: \(restaurants(total)) are called \"\(terminalSafe(name))\"; give one by its id:\n"
        + (lines + more).map(terminalSafe).joined(separator: "\n")
    )
  }
}

extension GlobalOptions {
  /// The coordinate of `--at`: of a point, or of a restaurant in the database.
  ///
  /// - Throws: `ValidationError` if the text has another form, `CommandFailure` if no restaurant, or more
  ///   than one, has this id or name.
  func point(_ text: String) throws -> Coordinate {
    if let reference = RestaurantReference(text) { return try reference.coordinate(self) }
    return try named("--at") { try parsePoint(text) }
  }
}

/// Checks the form of `--at`; whether there is such a restaurant is known when the command runs.
func checkPoint(_ text: String) throws {
  if RestaurantReference(text) == nil { _ = try named("--at") { try parsePoint(text) } }
}

import ArgumentParser
import GeoQuery

/// The options of the order.
struct SortOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Sort by this key, then by id; -KEY sorts descending. Missing values come last. "
        + "Keys are \(keyNames.filter { $0 != Order.Key.distance.rawValue }.joined(separator: ", ")), "
        + "and distance if the query has a point.",
      valueName: "key"
    ),
    completion: .list(keyNames + keyNames.map { "-" + $0 })
  )
  var sort: String?

  @Flag(help: "With --sort: sort descending.")
  var desc = false

  private static let keyNames = Order.Key.allCases.map(\.rawValue)

  /// The chosen order; nil for the command's default.
  ///
  /// - Throws: `ValidationError` if there is no such key.
  func order() throws -> Order? {
    guard let sort else { return nil }
    let isMinus = sort.hasPrefix("-")
    let name = isMinus || sort.hasPrefix("+") ? String(sort.dropFirst()) : sort
    let lower = UTF8Key(name.lowercased())
    if let key = Order.Key.allCases.first(where: { UTF8Key($0.rawValue.lowercased()) == lower }) {
      return Order(by: key, descending: desc || isMinus)
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
    _ = try order()
    if desc, sort == nil {
      throw ValidationError(
        "--desc goes with --sort; keys are \(Self.keyNames.joined(separator: ", "))"
      )
    }
  }
}

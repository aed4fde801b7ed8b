public import ArgumentParser
public import GeoQuery

/// In which order.
struct SortOptions: ParsableArguments {
  @Option(help: "Order by this, then by id; what lacks it comes last.")
  var sort: Order.Key?

  @Flag(help: "With --sort: the largest first.")
  var desc = false

  /// The order asked for; nil for that of the command.
  var order: Order? { sort.map { Order(by: $0, descending: desc) } }

  func validate() throws {
    if desc, sort == nil {
      let keys = Order.Key.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--desc goes with --sort; keys are \(keys)")
    }
  }
}

extension Order.Key: ExpressibleByArgument {}

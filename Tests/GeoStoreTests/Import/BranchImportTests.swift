import GeoFeed
import GeoIndex
import GeoQuery
import TestSupport
import Testing

@testable import GeoStore

/// Branches of a chain without ids, over several imports; and updates that look like a mistake.
struct BranchImportTests {
  private let store: TemporaryStore
  private static let header = "name,street,city,rating,lat,lon\n"
  private static let rows = [
    "Starbucks,Broadway,New York,4,40.7061,-74.0121\n",
    "Starbucks,Broadway,New York,4,40.8075,-73.9639\n",
    "Starbucks,Broadway,New York,4,40.7505,-73.9934\n",
  ]

  init() throws {
    store = try TemporaryStore()
  }

  @discardableResult
  private func take(
    _ text: String,
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions()
    change(&options)
    let stream = try FeedReader(source: "feed").stream(MemoryBytes(Array(text.utf8)))
    return try RestaurantStore.importFeed(from: stream, into: store.path, options: options)
  }

  /// The latitude of each restaurant by its id.
  private func places() throws -> [String: Double] {
    Dictionary(
      uniqueKeysWithValues: try store.restaurants().map { ($0.id, $0.coordinate.latitude) }
    )
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `branches – imported again in another order – keep their ids`(order: [Int]) throws {
    #expect(try take(Self.header + Self.rows.joined()).inserted == 3)
    let before = try places()
    #expect(before.count == 3)
    let again = try take(Self.header + order.map { Self.rows[$0] }.joined())
    #expect(again.unchanged == 3 && again.updated + again.inserted + again.removed == 0)
    // with other values each record is read
    let changed = order.map { Self.rows[$0].replacing(",4,", with: ",5,") }
    #expect(try take(Self.header + changed.joined()).updated == 3)
    #expect(try places() == before)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `branch – a second one is new, first or last in the feed – gets an id of its own`(
    order: [Int]
  ) throws {
    try take(Self.header + Self.rows[0])
    let before = try places()
    let report = try take(Self.header + order.map { Self.rows[$0] }.joined())
    #expect(report.inserted == 1 && report.unchanged == 1 && report.removed == 0)
    let after = try places()
    #expect(after.count == 2)
    for (id, latitude) in before { #expect(after[id] == latitude) }
  }

  @Test func `branch – the one whose id has no suffix closes – leaves the other its id`() throws {
    try take(Self.header + Self.rows[0] + Self.rows[1])
    let before = try places()
    try take(Self.header + Self.rows[1]) { $0.keepsMissing = false }
    let after = try places()
    #expect(after.count == 1)
    for (id, latitude) in after { #expect(before[id] == latitude && latitude == 40.8075) }
  }

  @Test func `branch – it moves alone – keeps its id`() throws {
    try take(Self.header + Self.rows[0] + "B,Main St,X,4,1,2\n")
    let before = Set(try places().keys)
    let moved = Self.rows[0].replacing("40.7061", with: "40.7161")
    let report = try take(Self.header + moved + "B,Main St,X,4,1,2\n")
    #expect(report.updated == 1 && report.inserted == 0 && report.removed == 0)
    #expect(Set(try places().keys) == before)
  }

  @Test func `records – doubles without ids – are rejected again each time`() throws {
    for _ in 0..<2 {
      let report = try take(Self.header + Self.rows[0] + Self.rows[1] + Self.rows[1] + Self.rows[0])
      #expect(report.rejected.map(\.record) == [3, 4])
      #expect(report.rejected.allSatisfy { $0.problem.hasPrefix("it has no id of its own") })
      #expect(try places().count == 2)
    }
  }

  @Test func `JSON – branches whose bytes are unchanged – keep their ids next to a new one`() throws
  {
    func object(_ row: Int) -> String {
      let cells = Self.rows[row].dropLast().split(separator: ",")
      return
        #"{"name":"Starbucks","street":"Broadway","city":"New York","lat":\#(cells[4]),"lon":\#(cells[5])}"#
        + "\n"
    }
    try take(object(0) + object(1))
    let before = try places()
    let report = try take(object(2) + object(1) + object(0))
    #expect(report.inserted == 1 && report.unchanged == 2)
    let after = try places()
    for (id, latitude) in before { #expect(after[id] == latitude) }
  }

  private static func table(_ change: (Int) -> (Double, Double, String)) -> String {
    "id,name,lat,lon,rating,hours\n"
      + (1...6).map { number in
        let (latitude, longitude, rest) = change(number)
        return "\(number),R\(number),\(latitude),\(longitude),\(rest)\n"
      }.joined()
  }

  private static let good = table { (52.5 + Double($0) / 100, 13.4, "4,Mo-Su") }

  @Test func `update – it moves most of a source far – is refused unless allowed`() throws {
    try take(Self.good)
    let before = store.bytes
    let swapped = Self.table { (13.4, 52.5 + Double($0) / 100, "4,Mo-Su") }
    let error = try #require(store.error { try take(swapped) })
    #expect(error.kind == .moves)
    #expect(
      error.message
        == "the feed moves 6 of 6 restaurants of the source \"feed\" by more than a kilometer: "
        + "latitude and longitude are swapped; nothing was changed"
    )
    #expect(store.error { try take(swapped) { $0.isDryRun = true } }?.kind == .moves)
    #expect(store.bytes == before)
    #expect(try take(swapped) { $0.allowsMoving = true }.updated == 6)
  }

  @Test func `update – it moves a half, or all by less than a kilometer – is accepted`() throws {
    try take(Self.good)
    let near = Self.table { (52.505 + Double($0) / 100, 13.4, "4,Mo-Su") }
    #expect(try take(near).updated == 6)
    let half = Self.table { (52.505 + Double($0) / 100, $0 <= 3 ? 14.4 : 13.4, "4,Mo-Su") }
    #expect(try take(half).updated == 3)
    let more = Self.table { (52.505 + Double($0) / 100, $0 <= 4 ? 15.4 : 13.4, "4,Mo-Su") }
    #expect(store.error { try take(more) }?.kind == .moves)
  }

  @Test func `update – it empties columns that were filled – is refused unless allowed`() throws {
    try take(Self.good)
    let before = store.bytes
    let emptied = Self.table { (52.5 + Double($0) / 100, 13.4, ",") }
    let error = try #require(store.error { try take(emptied) })
    #expect(error.kind == .empties)
    #expect(error.message.contains("the feed empties rating, hours of 6 of 6 restaurants"))
    #expect(store.bytes == before)
    let some = Self.table { (52.5 + Double($0) / 100, 13.4, $0 <= 3 ? "," : "4,Mo-Su") }
    #expect(try take(some).updated == 3)
    #expect(try take(emptied) { $0.allowsLosses = true }.updated == 3)
    #expect(try take(Self.good).updated == 6)
  }

  @Test func `update – a part of a source is emptied and kept otherwise – is accepted`() throws {
    try take(Self.good)
    let two = Self.good.split(separator: "\n").prefix(3).joined(separator: "\n")
      .replacing("4,Mo-Su", with: ",")
    #expect(try take(two + "\n") { $0.keepsMissing = true }.updated == 2)
  }
}

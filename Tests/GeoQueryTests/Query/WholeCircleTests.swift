import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// A circle around all restaurants, for which the tree is not asked about each, next to one without the farthest.
struct WholeCircleTests {
  private static let orders: [Order?] =
    [nil] + Order.Key.allCases.flatMap { [Order(by: $0), Order(by: $0, descending: true)] }

  @Test(arguments: orders)
  func `a circle – of all or all but one – has the matches of everywhere within it, in order`(
    order: Order?
  ) throws {
    var random = SplitMix64(stream: "whole circles")
    let file = try TemporarySnapshot(of: random.restaurants(300))
    let engine = QueryEngine(file.snapshot)
    let center = Coordinate.at(10.1, 20.2)
    let filter = Filter(conditions: [try Condition(.rating, .greaterOrEqual, "2")])
    let all = try engine.page(Query(.everywhere, in: nil)).matches.map(\.restaurant)
    let farthest = try #require(all.map { $0.coordinate.distance(to: center) }.max())
    for radius in [.infinity, farthest, farthest.nextDown, farthest / 2] {
      let matching = try engine.page(Query(.everywhere, matching: filter)).matches
        .filter { $0.restaurant.coordinate.distance(to: center) <= radius }
      var query = Query(.radius(radius, of: center), matching: filter, in: order)
      let page = try engine.page(query)
      #expect(page.total == matching.count)
      let found = try page.matches.map(\.restaurant.id)
      #expect(Set(found) == Set(matching.map(\.restaurant.id)) && found.count == matching.count)
      if order == nil || order == Order(by: .distance) {
        let model = matching.map {
          (distance: $0.restaurant.coordinate.distance(to: center), id: $0.restaurant.id)
        }
        .sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }
        #expect(found == model.map(\.id))
      }
      // the same in pages
      query.limit = 37
      var paged: [String] = []
      repeat {
        let page = try engine.page(query)
        paged += try page.matches.map(\.restaurant.id)
        query.cursor = page.next
      } while query.cursor != nil
      #expect(paged == found)
    }
  }
}

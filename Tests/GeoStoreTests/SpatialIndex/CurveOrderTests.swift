import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct CurveOrderTests {
  @Test func `the curve goes from each cell of a grid to one next to it`() {
    let size = 32
    var cells: [(key: UInt64, x: Int, y: Int)] = []
    for x in 0..<size {
      for y in 0..<size {
        let point = Coordinate.at(
          (Double(y) + 0.5) * 180 / Double(size) - 90,
          (Double(x) + 0.5) * 360 / Double(size) - 180
        )
        cells.append((CurveOrder.key(of: point), x, y))
      }
    }
    cells.sort { $0.key < $1.key }
    for (one, next) in zip(cells, cells.dropFirst()) {
      #expect(one.key != next.key)
      #expect(abs(one.x - next.x) + abs(one.y - next.y) == 1)
    }
  }

  @Test func `corners and equal points have their place, equal ones in their order`() {
    let points: [Coordinate] = [
      .at(90, 180), .at(-90, -180), .at(90, -180), .at(-90, 180), .at(0, 0), .at(-0.0, -0.0),
      .at(0, 0),
    ]
    let order = CurveOrder.positions(of: points)
    #expect(order.sorted() == points.indices.map(UInt32.init))
    let middle = order.filter { $0 >= 4 }
    #expect(middle == [4, 5, 6])
    #expect(CurveOrder.positions(of: []).isEmpty)
  }
}

import GeoIndex
import Testing

struct NeighborTests {
  @Test func `neighbors are ordered by distance, then by index`() {
    let one = Neighbor(index: 5, distance: 1)
    #expect(one < Neighbor(index: 4, distance: 2))
    #expect(one < Neighbor(index: 6, distance: 1))
    #expect(!(one < one))
    #expect(Neighbor(index: 4, distance: 1) < one)
  }
}

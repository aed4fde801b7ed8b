import Testing

@testable import GeoIndex

struct NearestListTests {
  @Test func `neighbours are ordered by distance, then by index`() {
    let one = Neighbor(index: 5, distance: 1)
    #expect(one < Neighbor(index: 4, distance: 2))
    #expect(one < Neighbor(index: 6, distance: 1))
    #expect(!(one < one))
    #expect(Neighbor(index: 4, distance: 1) < one)
  }

  @Test func `the list keeps the first of all by distance and index`() {
    var random = SplitMix64(stream: "list")
    for capacity in [1, 2, 3, 10, 64, 200, 300] {
      let offered = (0..<200).map { index in
        Neighbor(index: index, distance: Double(random.int(below: 30)))
      }
      var list = NearestList(capacity: capacity, maximumDistance: 25)
      for neighbor in offered.shuffled(using: &random) {
        list.offer(neighbor)
      }
      let expected = offered.filter { $0.distance <= 25 }.sorted().prefix(capacity)
      #expect(list.sorted() == Array(expected), "SEED=\(SplitMix64.seed)")
    }
  }

  @Test func `the reach shrinks only when the list is full`() {
    let chord = Chord(x: 50, y: 0, z: 0)
    var list = NearestList(capacity: 2, maximumDistance: 100)
    list.offer(Neighbor(index: 0, distance: 1))
    #expect(!list.reach.rulesOut(chord))
    list.offer(Neighbor(index: 1, distance: 50))
    #expect(!list.reach.rulesOut(chord))
    list.offer(Neighbor(index: 2, distance: 49))
    #expect(list.reach.rulesOut(chord))
  }
}

import Testing

@testable import GeoIndex

struct SplitKeyTests {
  @Test func `a partition puts the lesser keys first and leaves the rest alone`() {
    var random = SplitMix64(stream: "keys")
    for round in 0..<300 {
      let values = 1 + random.int(below: 40)
      let count = 3 + random.int(below: 200)
      var keys = (0..<count).map {
        SplitKey(value: Double(random.int(below: values)), position: UInt32($0))
      }
      keys.shuffle(using: &random)
      let before = keys
      let middle = 1 + random.int(below: count - 2)
      keys.partition(1..<count, at: middle)
      let seed = "SEED=\(SplitMix64.seed) round \(round)"
      #expect(keys[0] == before[0], "\(seed)")
      #expect(keys.sorted() == before.sorted(), "\(seed)")
      let greatest = keys[1..<middle].max()
      let least = keys[middle...].min()
      if let greatest, let least { #expect(greatest < least, "\(seed)") }
    }
  }

  @Test(arguments: ["ascending", "descending", "equal", "organ pipe"])
  func `patterns that break quicksort are divided too`(_ pattern: String) {
    let count = 20_000
    let values = (0..<count).map { index in
      switch pattern {
      case "ascending": index
      case "descending": -index
      case "equal": 0
      default: min(index, count - index)
      }
    }
    var keys = values.enumerated().map {
      SplitKey(value: Double($0.element), position: UInt32($0.offset))
    }
    let expected = keys.sorted()[count / 2]
    keys.partition(0..<count, at: count / 2)
    #expect(keys[count / 2] == expected)
  }
}

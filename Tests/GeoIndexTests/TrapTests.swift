import Testing

@testable import GeoIndex

struct TrapTests {
  @Test func `nearest traps on a negative count`() async {
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: .at(0, 0), count: -1)
    }
  }

  @Test func `nearest traps on a maximum distance that is negative or no number`() async {
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: .at(0, 0), count: 1, within: -1)
    }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: .at(0, 0), count: 1, within: .nan)
    }
  }

  @Test func `a radius query traps on a radius that is negative or no number`() async {
    await #expect(processExitsWith: .failure) {
      _ = KDTree([]).within(radius: -1, of: .at(0, 0))
    }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([]).count(within: .nan, of: .at(0, 0))
    }
  }

  @Test func `queries trap on a set over another collection`() async {
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: .at(0, 0), count: 1, where: BitSet(capacity: 2))
    }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).count(in: .world, where: BitSet(capacity: 0))
    }
  }

  @Test func `an index or a position out of range traps`() async {
    await #expect(processExitsWith: .failure) { _ = KDTree([.at(0, 0)])[1] }
    await #expect(processExitsWith: .failure) { _ = BitSet(capacity: 64).contains(64) }
    await #expect(processExitsWith: .failure) { _ = BitSet(capacity: 64, [-1]) }
  }

  @Test func `a tree and a batch trap on fewer than one thread`() async {
    await #expect(processExitsWith: .failure) { _ = KDTree([.at(0, 0)], threads: 0) }
    await #expect(processExitsWith: .failure) { _ = KDTree([], threads: -1) }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: [.at(0, 0)], count: 1, threads: 0)
    }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([]).nearest(to: [Coordinate](), count: 1, threads: -1)
    }
  }

  @Test func `a section file's writer traps on a missing tree and on wrong names`() async throws {
    // this process removes it; one that traps does not
    let folder = try TemporaryFolder()
    let path = folder.file("x")
    for names in [["a"], []] {
      await #expect(processExitsWith: .failure) {
        [path = path as String, names = names as [String]] in
        try Self.writeSections(names, at: path, tree: false)
      }
    }
    let wrong = [[""], ["123456789"], ["a b"], ["\u{E4}"], ["a", "a"], ["leaves"]]
    for names in wrong + [(0..<118).map { "\($0)" }] {
      await #expect(processExitsWith: .failure) {
        [path = path as String, names = names as [String]] in
        try Self.writeSections(names, at: path)
      }
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      try Self.writeSections((0..<117).map { "\($0)" }, at: path)
    }
  }

  private static func writeSections(_ names: [String], at path: String, tree: Bool = true) throws {
    var writer = try SectionFileWriter(for: path)
    if tree { try writer.write(KDTree([.at(0, 0)])) }
    for name in names { try writer.beginSection(name) }
    try writer.finish(storeID: 1, generation: 1)
  }

  @Test func `a batch traps as its searches do`() async {
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: [.at(0, 0)], count: -1)
    }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: [.at(0, 0)], count: 1, within: .nan)
    }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(
        to: [.at(0, 0)],
        count: 1,
        where: BitSet(capacity: 2)
      )
    }
  }

  @Test func `a list of a batch out of range traps`() async {
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).nearest(to: [.at(0, 0)], count: 1)[1]
    }
  }

  @Test func `searches that count their work trap as the others do`() async {
    await #expect(processExitsWith: .failure) {
      var statistics = SearchStatistics()
      _ = KDTree([.at(0, 0)]).nearest(to: .at(0, 0), count: -1, statistics: &statistics)
    }
    await #expect(processExitsWith: .failure) {
      var statistics = SearchStatistics()
      _ = KDTree([.at(0, 0)]).count(within: -1, of: .at(0, 0), statistics: &statistics)
    }
    await #expect(processExitsWith: .failure) {
      var statistics = SearchStatistics()
      let other = BitSet(capacity: 3)
      _ = KDTree([.at(0, 0)]).within(.world, where: other, statistics: &statistics)
    }
  }
}

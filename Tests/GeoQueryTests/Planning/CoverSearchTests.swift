import GeoIndex
import Testing

@testable import GeoQuery

/// Groups of places equal brute force exactly.
///
///     GEOQ_VERIFY_PLANS=3000 swift test -c release --filter CoverSearch
@Suite struct CoverSearchTests {
  @Test func `The group found is the first of all groups`() {
    var kinds: Set<String> = []
    for seed in 0..<CoverCase.count {
      let question = CoverCase(seed: seed)
      let groups = question.groups
      guard let first = groups.min(by: { $0.precedes($1) }) else { continue }
      let found = question.found()
      #expect(found.choice == first.choice, "\(question)")
      #expect(found.isOptimal && found.worth == first.worth, "\(question)")
      #expect(found.places == first.choice.positions.count, "\(question)")
      kinds.insert("\(question.cost) \(question.preference) \(first.choice.positions.count)")
    }
    // every cost, either preference, and none to three places at least
    #expect(kinds.count >= 20, "\(kinds)")
  }

  @Test func `What a search that is cut short says is true`() {
    var cutCount = 0
    for seed in 0..<CoverCase.count {
      let question = CoverCase(seed: seed)
      let groups = question.groups
      guard let first = groups.min(by: { $0.precedes($1) }) else { continue }
      for steps in [0, 1, 3, 8, 20, 50, 120, 300] {
        let found = question.found(steps: steps)
        let own = question.group(found.choice.positions)
        #expect(found.choice == own.choice, "\(question), \(steps) steps")
        if found.isOptimal {
          #expect(found.choice == first.choice, "\(question), \(steps) steps")
          continue
        }
        cutCount += 1
        #expect(found.worth >= first.worth, "\(question), \(steps) steps")
        let same = groups.filter { $0.worth >= own.worth }
        let least = same.map(\.choice.positions.count).min() ?? 0
        #expect(found.places <= least, "\(question), \(steps) steps")
        let few = same.filter { $0.choice.positions.count <= own.choice.positions.count }
        let cost = few.map(\.choice.cost).min() ?? 0
        #expect(found.cost <= cost, "\(question), \(steps) steps")
      }
    }
    #expect(cutCount > CoverCase.count)
  }
}

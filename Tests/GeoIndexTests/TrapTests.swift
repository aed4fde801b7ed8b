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
      _ = KDTree([.at(0, 0)]).nearest(to: .at(0, 0), count: 1, where: PositionSet(capacity: 2))
    }
    await #expect(processExitsWith: .failure) {
      _ = KDTree([.at(0, 0)]).count(in: .world, where: PositionSet(capacity: 0))
    }
  }

  @Test func `an index or a position out of range traps`() async {
    await #expect(processExitsWith: .failure) { _ = KDTree([.at(0, 0)])[1] }
    await #expect(processExitsWith: .failure) { _ = PositionSet(capacity: 64).contains(64) }
    await #expect(processExitsWith: .failure) { _ = PositionSet(capacity: 64, [-1]) }
  }
}

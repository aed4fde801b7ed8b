import TestSupport
import Testing

@testable import GeoIndex

struct SplitRecordsTests {
  /// Patterns that have broken quicksort before.
  enum Pattern: String, CaseIterable, Sendable {
    case equal
    case twoValues
    case sorted
    case reversed
    case organPipe
    case sawtooth
    case random

    func value(_ index: Int, of count: Int, using random: inout SplitMix64) -> Int {
      switch self {
      case .equal: 7
      case .twoValues: random.int(below: 2)
      case .sorted: index
      case .reversed: count - index
      case .organPipe: min(index, count - index)
      case .sawtooth: index % 17
      case .random: random.int(below: count)
      }
    }
  }

  /// Values along an axis, in meters, with the positions 0..<count in another order.
  private static func points(
    _ pattern: Pattern,
    count: Int,
    using random: inout SplitMix64
  ) -> [(value: Double, position: Int)] {
    let positions = (0..<count).shuffled(using: &random)
    return positions.enumerated().map { index, position in
      (Double(pattern.value(index, of: count, using: &random)), position)
    }
  }

  private static func origin(_ value: Double, along axis: Int) -> ECEFPoint {
    var place = SIMD3<Double>(1, 2, 3)
    place[axis] = value
    return ECEFPoint(x: place.x, y: place.y, z: place.z, coordinate: .origin)
  }

  @Test(arguments: Pattern.allCases)
  func `a division equals a sort cut in two`(_ pattern: Pattern) {
    var random = SplitMix64(stream: "divide \(pattern)")
    for count in [0, 1, 2, 3, 24, 25, 26, 100, 199, 200, 1_000, 5_000, 20_000] {
      for axis in 0..<3 {
        let points = Self.points(pattern, count: count, using: &random)
        let sorted = points.sorted { ($0.value, $0.position) < ($1.value, $1.position) }
        for middle in Set([0, count / 16, count / 2, count * 7 / 8, max(0, count - 1), count]) {
          let records = SplitRecords(count: count)
          defer { records.deallocate() }
          for (index, point) in points.enumerated() {
            records.set(index, to: Self.origin(point.value, along: axis), position: point.position)
          }
          records.divide(0..<count, at: middle, along: axis)
          let moved = (0..<count).map { records.position(at: $0) }
          let message = "SEED=\(SplitMix64.seed) \(pattern), \(count) at \(middle) along \(axis)"
          #expect(Set(moved[..<middle]) == Set(sorted[..<middle].map(\.position)), "\(message)")
          #expect(Set(moved[middle...]) == Set(sorted[middle...].map(\.position)), "\(message)")
        }
      }
    }
  }

  @Test func `what lies outside the range stays`() {
    var random = SplitMix64(stream: "outside")
    let records = SplitRecords(count: 300)
    defer { records.deallocate() }
    for index in 0..<300 {
      let value = random.double(in: -1e6...1e6)
      records.set(index, to: Self.origin(value, along: 0), position: index)
    }
    records.divide(50..<250, at: 100, along: 0)
    #expect((0..<50).allSatisfy { records.position(at: $0) == $0 })
    #expect((250..<300).allSatisfy { records.position(at: $0) == $0 })
    #expect(Set((50..<250).map { records.position(at: $0) }) == Set(50..<250))
  }

  @Test func `the longest axis is the one with the greatest extent`() {
    let records = SplitRecords(count: 1_000)
    defer { records.deallocate() }
    for axis in 0..<3 {
      for index in 0..<1_000 {
        records.set(index, to: Self.origin(Double(index) - 500, along: axis), position: index)
      }
      #expect(records.longestAxis(of: 0..<1_000) == axis)
      #expect(records.longestAxis(of: 10..<12) == axis)
    }
  }

  @Test func `every place of the Earth has steps, and different places have different ones`() {
    let records = SplitRecords(count: 2)
    defer { records.deallocate() }
    let ends: [Coordinate] = [
      .at(0, 0), .at(0, 180), .at(0, 90), .at(0, -90), .at(90, 0), .at(-90, 0),
    ]
    for (index, end) in ends.enumerated() {
      records.set(0, to: ECEFPoint(end), position: 0)
      records.set(1, to: ECEFPoint(ends[index ^ 1]), position: 1)
      #expect(records.longestAxis(of: 0..<2) == index / 2)
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct NeighborSortTests {
  /// Ways for distances to be spread.
  enum Spread: String, CaseIterable, Sendable {
    case evenByArea
    case evenByLength
    case fewValues
    case allEqual
    case allZero
    case oneOutlier
    case hugeRange
    case tooSmallToSquare
    case sorted
    case reversed

    func distance(_ index: Int, of count: Int, using random: inout SplitMix64) -> Double {
      switch self {
      case .evenByArea: 1_000 * random.double(in: 0...1).squareRoot()
      case .evenByLength: random.double(in: 0...1_000)
      case .fewValues: Double(random.int(below: 5))
      case .allEqual: 12.5
      case .allZero: 0
      case .oneOutlier: index == count / 2 ? 2e7 : random.double(in: 0...1)
      case .hugeRange: pow(10, random.double(in: -300...7))
      case .tooSmallToSquare: random.double(in: 0...1e-160)
      case .sorted: Double(index)
      case .reversed: Double(count - index)
      }
    }
  }

  @Test(arguments: Spread.allCases)
  func `the order is that of the library's sort`(_ spread: Spread) {
    var random = SplitMix64(stream: "order \(spread)")
    for count in Array(0...300) + [5_000] {
      var neighbors = (0..<count).map {
        Neighbor(index: $0, distance: spread.distance($0, of: count, using: &random))
      }
      if spread != .sorted && spread != .reversed { neighbors.shuffle(using: &random) }
      let expected = neighbors.sorted()
      neighbors.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
      #expect(neighbors == expected, "SEED=\(SplitMix64.seed) \(spread), \(count)")
    }
  }
}

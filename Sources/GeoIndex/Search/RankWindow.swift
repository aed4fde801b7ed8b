/// A part of the tree: a number of points whose distances are all in an interval.
struct RankItem {
  /// The number of a child of a node, or a slot.
  let number: UInt32

  /// The number of its points that are allowed.
  let count: UInt32

  /// Not above any of the distances, meters, zero or more.
  let lower: Double

  /// Not below any of the distances, meters.
  let upper: Double

  /// - Parameters:
  ///   - number: of a child or a slot.
  ///   - count: how many points, one or more.
  ///   - lower: meters; a damaged file may give any number here and for `upper`.
  ///   - upper: meters.
  @inline(__always)
  init(_ number: Int, count: Int, lower: Double, upper: Double) {
    self.number = UInt32(truncatingIfNeeded: number)
    self.count = UInt32(truncatingIfNeeded: count)
    // in this order the bounds replace NaN
    self.lower = min(max(0, lower), Ellipsoid.greatestDistance)
    self.upper = max(0, min(Ellipsoid.greatestDistance, upper))
  }

  /// Whether the interval is the distance itself.
  var isExact: Bool { lower == upper }
}

/// The distances between which the wanted points are, and the items that may hold some of them.
///
/// The r-th distance is not below the r-th lower bound, nor above the r-th upper bound. So bounds
/// on a few large parts narrow the window, and only parts that overlap it need to be split.
struct RankWindow {
  /// The wanted ranks; nil if the window is given and does not change.
  private let ranks: Range<Int>?

  /// Not above the least distance wanted, nor below the greatest.
  private(set) var lower: Double
  private(set) var upper: Double

  /// The number of points that are certainly before the window.
  private(set) var before = 0

  var items: [RankItem] = []

  private static let bucketCount = 1_024

  /// A window around ranks, of points up to a radius.
  init(ranks: Range<Int>, radius: Double) {
    self.ranks = ranks
    (lower, upper) = (0, radius)
  }

  /// A window of one distance.
  init(at distance: Double) {
    ranks = nil
    (lower, upper) = (distance, distance)
  }

  /// Counts points that are certainly before the window and not in an item.
  mutating func pass(_ count: Int) { before += count }

  /// Narrows the window as far as the items allow, and removes those outside.
  ///
  /// - Parameter passed: is called for each item that is before the window.
  /// - Complexity: O(n) for n items, as often as that removes a good part of them.
  mutating func narrow(_ passed: () -> Void = {}) {
    while true {
      if let ranks, !items.isEmpty {
        lower = max(lower, bound(ofRank: ranks.lowerBound - before, .lower).least)
        upper = min(upper, bound(ofRank: ranks.upperBound - 1 - before, .upper).greatest)
      }
      let count = items.count
      removeOutside(passed)
      // the buckets are finer the closer the bounds are together
      guard ranks != nil, items.count > 64, items.count < count - count / 4 else { return }
    }
  }

  private mutating func removeOutside(_ passed: () -> Void) {
    var kept = 0
    for index in items.indices {
      let item = items[index]
      if item.upper < lower {
        before += Int(item.count)
        passed()
      } else if item.lower <= upper {
        items[kept] = item
        kept += 1
      }
    }
    items.removeLast(items.count - kept)
  }

  /// A bound of the items.
  private enum Side {
    case lower
    case upper

    @inline(__always)
    func bound(of item: RankItem) -> Double { self == .lower ? item.lower : item.upper }
  }

  /// Bounds on the lower or upper bound that has `rank` points before it in ascending order.
  ///
  /// Counts in buckets of equal width, and then looks at the one with the rank.
  private func bound(ofRank rank: Int, _ side: Side) -> (least: Double, greatest: Double) {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for item in items {
      least = min(least, side.bound(of: item))
      greatest = max(greatest, side.bound(of: item))
    }
    let (start, span) = (least, Double(Self.bucketCount - 1) / (greatest - least))
    let scale = span.isFinite ? span : 0
    func bucket(_ item: RankItem) -> Int { Int((side.bound(of: item) - start) * scale) }
    var counts = [Int](repeating: 0, count: Self.bucketCount)
    for item in items { counts[bucket(item)] += Int(item.count) }
    var (place, sum) = (0, counts[0])
    while sum <= rank {
      place += 1
      // there are fewer points
      guard place < Self.bucketCount else { return (greatest, .infinity) }
      sum += counts[place]
    }
    (least, greatest) = (.infinity, -.infinity)
    for item in items where bucket(item) == place {
      least = min(least, side.bound(of: item))
      greatest = max(greatest, side.bound(of: item))
    }
    return (least, greatest)
  }
}

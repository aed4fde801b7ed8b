/// The squared chords from a place to the points of a leaf.
struct LeafScan {
  /// Pairs, in the order of the slots.
  private let chordsSquared: UnsafeMutablePointer<SIMD2<Double>>

  /// The bytes of scratch memory that a scan needs.
  static let byteCount = (TreeView.pairCount + 1) * MemoryLayout<SIMD2<Double>>.stride

  /// - Parameter scratch: that many bytes, aligned to 16.
  init(scratch: UnsafeMutableRawPointer) {
    chordsSquared = scratch.assumingMemoryBound(to: SIMD2<Double>.self)
  }

  /// Measures a leaf.
  ///
  /// - Parameters:
  ///   - places: sixteen pairs of x, of y, of z.
  ///   - site: the place to measure from.
  ///   - limit: a squared chord, square metres, finite.
  /// - Returns: a bit for each point whose squared chord is at most the limit; never for a slot
  ///   without a point, whose chord is NaN.
  @inline(__always)
  func measure(
    _ places: UnsafePointer<SIMD2<Double>>,
    from site: Site,
    limit: Double
  ) -> UInt32 {
    // the positions follow the places: asking for them now saves waiting for them later
    chordsSquared[TreeView.pairCount] = places[3 &* TreeView.pairCount]
    let limits = SIMD2<Double>(repeating: limit)
    var bits = SIMD2<Int64>.zero
    var weights = SIMD2<Int64>(1, 2)
    for pair in 0..<TreeView.pairCount {
      let squared = Self.squared(places, pair, site)
      chordsSquared[pair] = squared
      let within: SIMDMask<SIMD2<Int64>> = squared .<= limits
      bits |= unsafeBitCast(within, to: SIMD2<Int64>.self) & weights
      weights = weights &<< 2
    }
    return UInt32(truncatingIfNeeded: bits[0] | bits[1])
  }

  /// A bit for each point measured last whose squared chord is at most a limit.
  @inline(__always)
  func bits(within limit: Double) -> UInt32 {
    let limits = SIMD2<Double>(repeating: limit)
    var bits = SIMD2<Int64>.zero
    var weights = SIMD2<Int64>(1, 2)
    for pair in 0..<TreeView.pairCount {
      let within: SIMDMask<SIMD2<Int64>> = chordsSquared[pair] .<= limits
      bits |= unsafeBitCast(within, to: SIMD2<Int64>.self) & weights
      weights = weights &<< 2
    }
    return UInt32(truncatingIfNeeded: bits[0] | bits[1])
  }

  /// Measures a leaf for its closest point.
  ///
  /// - Parameters:
  ///   - places: sixteen pairs of x, of y, of z.
  ///   - site: the place to measure from.
  /// - Returns: the least squared chord of those that are numbers; infinity where there are none.
  @inline(__always)
  func measureLeast(_ places: UnsafePointer<SIMD2<Double>>, from site: Site) -> Double {
    chordsSquared[TreeView.pairCount] = places[3 &* TreeView.pairCount]
    var least = SIMD2<Double>(repeating: .infinity)
    for pair in 0..<TreeView.pairCount {
      let squared = Self.squared(places, pair, site)
      chordsSquared[pair] = squared
      let isLess: SIMDMask<SIMD2<Int64>> = squared .< least
      least = least.replacing(with: squared, where: isLess)
    }
    return least[0] < least[1] ? least[0] : least[1]
  }

  @inline(__always)
  private static func squared(
    _ places: UnsafePointer<SIMD2<Double>>,
    _ pair: Int,
    _ site: Site
  ) -> SIMD2<Double> {
    let dx = places[pair] - site.x
    let dy = places[TreeView.pairCount &+ pair] - site.y
    let dz = places[2 &* TreeView.pairCount &+ pair] - site.z
    // summed as Geodesic sums: a chord has the same bits everywhere
    return (dx * dx + dy * dy) + dz * dz
  }

  /// The squared chords to the points in the lanes 2i and 2i + 1.
  @inline(__always)
  func pair(_ index: Int) -> SIMD2<Double> { chordsSquared[index] }

  /// The squared chord to the point in a lane, 0..<32.
  @inline(__always)
  subscript(lane: Int) -> Double {
    UnsafeRawPointer(chordsSquared).assumingMemoryBound(to: Double.self)[lane]
  }
}

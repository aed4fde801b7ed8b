/// The reported distances from a place to the sixteen points of a leaf, where the chord formula holds.
struct LeafDistances {
  private let distances: UnsafeMutablePointer<SIMD2<Double>>

  /// The bytes of scratch memory that the distances need.
  static let byteCount = TreeShape.leafCapacity * MemoryLayout<Double>.stride

  /// - Parameter scratch: that many bytes, aligned to 16.
  init(scratch: UnsafeMutableRawPointer) {
    distances = scratch.assumingMemoryBound(to: SIMD2<Double>.self)
  }

  /// Works the distances out.
  ///
  /// Not inlined: alone, the loop is compiled to two distances at a time.
  ///
  /// - Parameters:
  ///   - places: eight pairs of x, of y, of z.
  ///   - site: the place to measure from.
  /// - Returns: the greatest squared chord of those that are numbers, square metres; where it is above
  ///   `ChordBound.greatestNear`, some distances are not those to report.
  @inline(never)
  func measure(_ places: UnsafePointer<SIMD2<Double>>, from site: Site) -> Double {
    var greatest = SIMD2<Double>.zero
    for pair in 0..<8 {
      let chords = ChordPair(
        from: site,
        x: places[pair],
        y: places[8 &+ pair],
        z: places[16 &+ pair]
      )
      let squared = chords.squared
      let isGreater: SIMDMask<SIMD2<Int64>> = squared .> greatest
      greatest = greatest.replacing(with: squared, where: isGreater)
      distances[pair] = Geodesic.distancesAtConstantCurvature(chords)
    }
    let most = greatest[0] > greatest[1] ? greatest[0] : greatest[1]
    if most > Geodesic.leastChangeSquared { change(places, from: site) }
    return most
  }

  /// Works out the distances for which the change of curvature counts.
  @inline(never)
  private func change(_ places: UnsafePointer<SIMD2<Double>>, from site: Site) {
    for pair in 0..<8 {
      let chords = ChordPair(
        from: site,
        x: places[pair],
        y: places[8 &+ pair],
        z: places[16 &+ pair]
      )
      distances[pair] = Geodesic.nearDistances(chords)
    }
  }

  /// The distance to the point in a lane, 0..<16; NaN in a slot without a point.
  @inline(__always)
  subscript(lane: Int) -> Double {
    UnsafeRawPointer(distances).assumingMemoryBound(to: Double.self)[lane]
  }
}

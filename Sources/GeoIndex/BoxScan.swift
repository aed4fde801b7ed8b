/// A look at the points of a leaf that a box's edge cuts.
struct BoxScan {
  private let view: TreeView
  private let region: BoxRegion

  /// Metres around every edge within which the degrees decide: far more than rounding needs.
  private static let guardBand = 0.001

  init(_ view: TreeView, _ region: BoxRegion) {
    self.view = view
    self.region = region
  }

  /// A bit for each point of a leaf that is in the box.
  @inline(__always)
  func bits(ofLeaf leaf: Int) -> UInt32 {
    let places = view.places(ofLeaf: leaf)
    let (sure, possible) =
      switch region.wedge {
      case .wholeCircle: bits(places) { depth, _, _ in depth }
      case .intersection:
        bits(places) { depth, one, other in Self.lesser(depth, Self.lesser(one, other)) }
      case .union:
        bits(places) { depth, one, other in Self.lesser(depth, Self.lesser(-one, -other) * -1) }
      }
    return possible == sure ? sure : sure | decided(possible & ~sure, leaf)
  }

  /// Bits of the points surely inside, and of those not surely outside.
  ///
  /// `depth` tells how deep inside the box a point lies, metres, from how deep it lies in the slab and
  /// in the two half-spaces.
  @inline(__always)
  private func bits(
    _ places: UnsafePointer<SIMD2<Double>>,
    _ depth: (SIMD2<Double>, SIMD2<Double>, SIMD2<Double>) -> SIMD2<Double>
  ) -> (sure: UInt32, possible: UInt32) {
    let band = SIMD2<Double>(repeating: Self.guardBand)
    var sure = SIMD2<Int64>.zero
    var possible = SIMD2<Int64>.zero
    var weights = SIMD2<Int64>(1, 2)
    for pair in 0..<8 {
      let (x, y, z) = (places[pair], places[8 &+ pair], places[16 &+ pair])
      let slab = Self.lesser(z - region.bottom, region.top - z)
      let depth = depth(
        slab,
        x * region.eastOfWest.normalX + y * region.eastOfWest.normalY,
        x * region.westOfEast.normalX + y * region.westOfEast.normalY
      )
      let isInside: SIMDMask<SIMD2<Int64>> = band .<= depth
      let isNear: SIMDMask<SIMD2<Int64>> = -band .<= depth
      sure |= unsafeBitCast(isInside, to: SIMD2<Int64>.self) & weights
      possible |= unsafeBitCast(isNear, to: SIMD2<Int64>.self) & weights
      weights = weights &<< 2
    }
    return (
      UInt32(truncatingIfNeeded: sure[0] | sure[1]),
      UInt32(truncatingIfNeeded: possible[0] | possible[1])
    )
  }

  /// Those of some of a leaf's points whose degrees are in the box.
  @inline(never)
  private func decided(_ bits: UInt32, _ leaf: Int) -> UInt32 {
    var rest = bits
    var inside: UInt32 = 0
    while rest != 0 {
      let slot = leaf &* TreeShape.leafCapacity &+ rest.trailingZeroBitCount
      let coordinate = view.coordinate(at: view.position(atSlot: slot))
      if region.box.contains(coordinate) { inside |= rest & (0 &- rest) }
      rest &= rest &- 1
    }
    return inside
  }

  @inline(__always)
  private static func lesser(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    let isLess: SIMDMask<SIMD2<Int64>> = other .< one
    return one.replacing(with: other, where: isLess)
  }
}

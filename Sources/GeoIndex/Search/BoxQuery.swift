/// A search for the points in a box: the list or the count of what a walk over the tree found.
struct BoxQuery {
  let view: TreeView
  let region: BoxRegion
  let allowed: AllowedPositions?

  /// The positions of the points in the box, in no order.
  @inline(__always)
  func list(_ probe: inout some SearchProbe) -> [Int] {
    withUnsafeTemporaryAllocation(byteCount: RegionSearch.byteCount, alignment: 16) { memory in
      guard let scratch = memory.baseAddress else { return [] }
      let found = RegionSearch(view).leaves(in: region, scratch: scratch, &probe)
      defer { found.deallocate() }
      let scan = BoxScan(view, region)
      let room = found.leafCount * TreeShape.leafCapacity
      return [Int](unsafeUninitializedCapacity: room) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        for index in 0..<found.runCount {
          append(found.run(index), to: base, &count)
        }
        for index in 0..<found.cutCount {
          let cut = found.cutLeaf(index)
          let leaf = cut.number
          probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
          append(scan.bits(of: cut), of: leaf, to: base, &count)
        }
      }
    }
  }

  /// The number of points in the box.
  @inline(__always)
  func count(_ probe: inout some SearchProbe) -> Int {
    withUnsafeTemporaryAllocation(byteCount: RegionSearch.byteCount, alignment: 16) { memory in
      guard let scratch = memory.baseAddress else { return 0 }
      let found = RegionSearch(view).leaves(in: region, scratch: scratch, &probe)
      defer { found.deallocate() }
      let scan = BoxScan(view, region)
      var count = allowed?.count(in: found) ?? found.pointCount(in: view.shape)
      for index in 0..<found.cutCount {
        let cut = found.cutLeaf(index)
        let leaf = cut.number
        probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
        let bits = scan.bits(of: cut)
        count &+= (allowed?.restrict(bits, leaf: leaf) ?? bits).nonzeroBitCount
      }
      return count
    }
  }

  /// Appends the positions of a run of leaves.
  @inline(__always)
  private func append(
    _ leaves: Range<Int>,
    to base: UnsafeMutablePointer<Int>,
    _ count: inout Int
  ) {
    for leaf in leaves {
      let size = view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count
      let isWhole = allowed == nil && size == TreeShape.leafCapacity
      if isWhole,
        Self.copy(view.positions(ofLeaf: leaf), below: view.shape.pointCount, to: base + count)
      {
        count &+= size
      } else {
        append(UInt32.max >> UInt32(TreeShape.leafCapacity - size), of: leaf, to: base, &count)
      }
    }
  }

  /// Copies the positions of a full leaf; false if one is out of range, as in a damaged file.
  ///
  /// Not inlined: alone, the loop is compiled to four positions at a time.
  @inline(never)
  private static func copy(
    _ positions: UnsafePointer<UInt32>,
    below bound: Int,
    to base: UnsafeMutablePointer<Int>
  ) -> Bool {
    let greatest = UInt32(truncatingIfNeeded: bound &- 1)
    var wild: UInt32 = 0
    for lane in 0..<TreeShape.leafCapacity {
      let position = positions[lane]
      wild |= position > greatest ? 1 : 0
      base[lane] = Int(position)
    }
    return wild == 0
  }

  /// Appends the positions of some of a leaf's points.
  @inline(__always)
  private func append(
    _ bits: UInt32,
    of leaf: Int,
    to base: UnsafeMutablePointer<Int>,
    _ count: inout Int
  ) {
    var rest = allowed?.restrict(bits, leaf: leaf) ?? bits
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      base[count] = view.position(atSlot: leaf &* TreeShape.leafCapacity &+ lane)
      count &+= 1
    }
  }
}

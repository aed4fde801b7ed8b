package import GeoIndex

/// Makes a snapshot from an older one and the changes since; unchanged records are copied.
///
/// The file is the same, byte for byte, as one that is made of all restaurants.
package struct SnapshotMerge {
  private let old: Snapshot?
  private var gone: BitSet

  /// The bytes of records that are written together.
  static let batchLength = 1 << 17
  private static let runLength = 1 << 12

  /// Begins a merge with a sound snapshot; with nil if all restaurants are new.
  package init(_ old: Snapshot?) {
    self.old = old
    gone = BitSet(capacity: old?.count ?? 0)
  }

  /// Omits a restaurant of the older snapshot; unknown ids are ignored.
  package mutating func remove(id: some Collection<UInt8>) {
    guard let found = old?.lowerBound(ofID: id), found.isExact else { return }
    gone.insert(found.position)
  }

  /// Writes the snapshot.
  ///
  /// - Throws: `SnapshotError` if the file cannot be written.
  package consuming func write(
    _ coordinates: [Coordinate],
    to file: String,
    access: FileAccess? = nil,
    storeID: UInt64,
    generation: Int,
    record: (Int) -> UnsafeRawBufferPointer
  ) throws(SnapshotError) {
    let steps = steps(count: coordinates.count, record)
    var writer = try SnapshotWriter(
      for: file,
      tree: KDTree(all(steps, coordinates)),
      from: old,
      access: access
    )
    var batch = PackedRecords()
    for step in steps {
      switch step {
      case .kept(let positions): batch.append(positions)
      case .added(let number):
        batch.bytes.append(raw: record(number))
        batch.ends.append(batch.bytes.count)
      }
      if batch.runLength >= Self.runLength || batch.bytes.count >= Self.batchLength {
        try writer.append(batch)
        batch.removeAll()
      }
    }
    try writer.append(batch)
    try writer.finish(storeID: storeID, generation: generation)
  }

  /// The coordinates of all restaurants, in order of id.
  private func all(_ steps: [Step], _ added: [Coordinate]) -> [Coordinate] {
    var all: [Coordinate] = []
    all.reserveCapacity((old?.count ?? 0) + added.count)
    for step in steps {
      switch step {
      case .kept(let positions): if let old { all += positions.lazy.map { old.tree[$0] } }
      case .added(let number): all.append(added[number])
      }
    }
    return all
  }

  private enum Step {
    /// Positions of the older snapshot.
    case kept(Range<Int>)
    /// The number of a new or changed restaurant.
    case added(Int)
  }

  /// What the new snapshot has, in order of id.
  private mutating func steps(count: Int, _ record: (Int) -> UnsafeRawBufferPointer) -> [Step] {
    guard let old else { return (0..<count).map(Step.added) }
    let idColumn = RestaurantField.id.column
    let places = (0..<count).map { number in
      let id = PackedRecord.text(idColumn, of: record(number))
      let found = old.lowerBound(ofID: id ?? UnsafeRawBufferPointer(start: nil, count: 0))
      if found.isExact { gone.insert(found.position) }
      return found.position
    }
    var steps: [Step] = []
    var start = 0
    for (number, place) in places.enumerated() {
      keep(start..<place, in: &steps)
      steps.append(.added(number))
      start = place
    }
    keep(start..<old.count, in: &steps)
    return steps
  }

  /// Adds the positions that are not in `gone`, in runs.
  private func keep(_ positions: Range<Int>, in steps: inout [Step]) {
    var start = positions.lowerBound
    for position in positions {
      let isGone = gone.contains(position)
      if isGone || position - start >= Self.runLength {
        if start < position { steps.append(.kept(start..<position)) }
        start = isGone ? position + 1 : position
      }
    }
    if start < positions.upperBound { steps.append(.kept(start..<positions.upperBound)) }
  }
}

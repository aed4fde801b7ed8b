package import GeoIndex

/// Makes a snapshot from an older one and the changes since; unchanged records are copied.
///
/// The file is the same, byte for byte, as one that is made of all restaurants.
package struct SnapshotMerge {
  private let old: Snapshot?
  private var gone: BitSet

  private static let batchLength = 1 << 17
  private static let runLength = 1 << 12

  /// Begins a merge.
  ///
  /// - Parameter old: A sound snapshot; nil if all restaurants are new.
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
  /// - Parameters:
  ///   - coordinates: Those of the new and changed restaurants, in order of id (UTF-8 bytes).
  ///   - file: The path of the file.
  ///   - access: Who may use the file; nil for all that the process allows.
  ///   - storeID: As for `SnapshotWriter.finish(storeID:generation:)`.
  ///   - generation: The generation.
  ///   - record: Their packed records by number.
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
    let tree = KDTree(self.coordinates(of: steps, coordinates))
    var writer = try SnapshotWriter(for: file, tree: tree, from: old, access: access)
    var batch = PackedRecords()
    for step in steps {
      switch step {
      case .kept(let positions):
        batch.append(positions)
        if batch.runLength >= Self.runLength { try writer.appendAll(of: &batch) }
      case .added(let numbers):
        for number in numbers {
          batch.bytes.append(raw: record(number))
          batch.ends.append(batch.bytes.count)
          if batch.bytes.count >= Self.batchLength { try writer.appendAll(of: &batch) }
        }
      }
    }
    try writer.append(batch)
    try writer.finish(storeID: storeID, generation: generation)
  }

  private enum Step {
    /// Positions of the older snapshot.
    case kept(Range<Int>)
    /// The numbers of new or changed restaurants.
    case added(Range<Int>)
  }

  /// What the new snapshot has, in order of id.
  private mutating func steps(
    count: Int,
    _ record: (Int) -> UnsafeRawBufferPointer
  ) -> [Step] {
    guard let old else { return [.added(0..<count)] }
    let idColumn = RestaurantField.id.column
    let places = (0..<count).map { number in
      var values = PackedRecord.Values(record(number))
      let id = values.text(idColumn) ?? UnsafeRawBufferPointer(start: nil, count: 0)
      let found = old.lowerBound(ofID: id)
      if found.isExact { gone.insert(found.position) }
      return found.position
    }
    var steps: [Step] = []
    var start = 0
    for (number, place) in places.enumerated() {
      keep(start..<place, in: &steps)
      if case .added(let before)? = steps.last {
        steps[steps.count - 1] = .added(before.lowerBound..<number + 1)
      } else {
        steps.append(.added(number..<number + 1))
      }
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

  private func coordinates(of steps: [Step], _ added: [Coordinate]) -> [Coordinate] {
    var all: [Coordinate] = []
    all.reserveCapacity((old?.count ?? 0) - gone.count + added.count)
    for step in steps {
      switch step {
      case .kept(let positions):
        if let tree = old?.tree { all.append(contentsOf: positions.lazy.map { tree[$0] }) }
      case .added(let numbers): all += added[numbers]
      }
    }
    return all
  }
}

extension SnapshotWriter {
  /// Adds the next restaurants, and empties the batch.
  fileprivate mutating func appendAll(of batch: inout PackedRecords) throws(SnapshotError) {
    try append(batch)
    batch.removeAll()
  }
}

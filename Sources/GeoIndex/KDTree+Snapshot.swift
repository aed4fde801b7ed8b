extension KDTree {
  /// Writes the tree to a file that ``Snapshot`` opens.
  ///
  /// The file is there whole or not at all: it is written beside the old one under a name of its own,
  /// `PATH.` + 16 hexadecimal digits + `.tmp`, brought to the disk, and then takes the old one's place.
  /// Where that fails the old one stays as it was, and the other one is removed. Only a machine or
  /// process that stops in between leaves it behind.
  ///
  /// The same coordinates give the same bytes, but for store id, generation and the header's checksum.
  ///
  /// - Parameters:
  ///   - path: where to, in a folder that can be written to.
  ///   - storeID: says which database the points are from.
  ///   - generation: says which state of it.
  /// - Throws: ``SnapshotError`` where that failed. A tree from a damaged snapshot is not written.
  /// - Complexity: O(n) for n points.
  public func write(
    to path: String,
    storeID: UInt64,
    generation: UInt64
  ) throws(SnapshotError) {
    guard Snapshot.isLittleEndian else {
      throw .notWritten(path, because: "this machine is big-endian, and snapshots are not")
    }
    let layout = TreeLayout(view.shape)
    let checksums = storage.checksums(of: layout)
    // or a new checksum would make damage look sound
    guard storage.fileChecksums ?? checksums == checksums else {
      throw .notWritten(path, because: "the snapshot that the tree is from is damaged")
    }
    let header = SnapshotHeader(
      pointCount: count,
      storeID: storeID,
      generation: generation,
      checksums: checksums
    )
    let file = try ReplacementFile(for: path)
    try file.write(header.bytes)
    try file.write(storage, SnapshotHeader.byteCount..<layout.byteCount)
    try file.takePlace()
  }
}

extension Snapshot {
  /// Reads the whole file and checks it.
  ///
  /// Every section against its checksum, the bytes between the sections, which are zero, and then that
  /// the tree is one: each position once, coordinates in range, each point where its coordinate lies,
  /// each box around what is below it.
  ///
  /// - Throws: ``SnapshotError`` that names the first fault found.
  /// - Complexity: O(n) for n points, on all cores.
  public func verify() throws(SnapshotError) {
    let layout = header.layout
    let storage = tree.storage
    storage.advise(0..<layout.byteCount, .sequential)
    defer { Self.adviseScattered(storage, layout) }
    if let fault = faultOfBytes(layout) ?? tree.fault() {
      throw .unusable(path, because: fault)
    }
  }

  /// What is wrong with header, checksums or padding of the file as it is mapped.
  private func faultOfBytes(_ layout: TreeLayout) -> String? {
    let storage = tree.storage
    guard header.bytes.elementsEqual(storage.bytes(0..<SnapshotHeader.byteCount)) else {
      return "its header has changed since it was opened"
    }
    let found = storage.checksums(of: layout)
    let names = SnapshotHeader.sectionNames
    for (index, section) in layout.sections.enumerated() {
      guard found[index] == header.checksums[index] else {
        return "the checksum of its section \(names[index]) does not match"
      }
      let before = index == 0 ? SnapshotHeader.byteCount : layout.sections[index - 1].upperBound
      guard storage.bytes(before..<section.lowerBound).allSatisfy({ $0 == 0 }) else {
        return "the bytes before its section \(names[index]) are not zero"
      }
    }
    return nil
  }
}

extension TreeStorage {
  /// The checksums of the sections, each worked out on a thread of its own.
  func checksums(of layout: TreeLayout) -> [UInt64] {
    let sections = layout.sections
    let parts = Parallel.mapParts(of: sections.indices, threads: sections.count) { part in
      part.map { Checksum.of(bytes(sections[$0])) }
    }
    return parts.flatMap { $0 }
  }
}

extension SectionFile {
  /// Reads the whole file and checks it.
  ///
  /// Checks each section against its checksum, that the bytes between sections are zero, and then the
  /// tree: each position once, coordinates in range, each point where its coordinate is, each box
  /// around what is below it.
  ///
  /// - Throws: ``SnapshotError`` that names the first fault.
  /// - Complexity: O(n) for a file of n bytes, on all cores.
  public func verify() throws(SnapshotError) {
    let layout = header.treeLayout
    let storage = tree.storage
    storage.advise(0..<layout.byteCount, .sequential)
    defer { Self.adviseScattered(storage, layout) }
    if let fault = faultOfBytes() ?? tree.fault() {
      throw .unusable(path, because: fault)
    }
  }

  /// What is wrong with header, checksums or padding of the mapped file.
  private func faultOfBytes() -> String? {
    let storage = tree.storage
    guard header.bytes.elementsEqual(storage.bytes(0..<SectionFileHeader.byteCount)) else {
      return "its header has changed since it was opened"
    }
    let entries = header.sections.entries
    let found = storage.checksums(of: entries.map(\.range))
    var end = SectionFileHeader.byteCount
    for (entry, checksum) in zip(entries, found) {
      guard checksum == entry.checksum else {
        return "the checksum of its section \(entry.name) does not match"
      }
      guard storage.bytes(end..<entry.range.lowerBound).allSatisfy({ $0 == 0 }) else {
        return "the bytes before its section \(entry.name) are not zero"
      }
      end = entry.range.upperBound
    }
    return nil
  }
}

extension TreeStorage {
  /// The checksums of ranges, in parallel.
  func checksums(of ranges: [Range<Int>]) -> [UInt64] {
    let parts = Parallel.mapParts(of: ranges.indices, threads: ranges.count) { part in
      part.map { index in
        let range = ranges[index]
        return Checksum.of(bytes(range)) { part in
          // loads the next bytes without changing how queries read them
          let start = range.lowerBound + part.lowerBound
          advise(start..<start + part.count, .soon)
        }
      }
    }
    return parts.flatMap { $0 }
  }
}

/// Writes a section file.
///
/// ```swift
/// var writer = try SectionFileWriter(for: "lunch.db.17.geoqx")
/// try writer.write(tree)
/// try writer.beginSection("ids")
/// try writer.append(bytes)
/// try writer.finish(storeID: 0x5A17, generation: 17)
/// ```
///
/// The file appears complete or not at all, as ``KDTree/write(to:storeID:generation:)`` says; if the
/// writer is dropped before ``finish(storeID:generation:)``, the old file stays. The same sections
/// give the same bytes, store id, generation and the header's checksum aside.
package struct SectionFileWriter: ~Copyable {
  private let path: String
  private let file: ReplacementFile
  private var pointCount: Optional<Int>

  /// The checksums of the tree's sections in its own file; nil if the tree is not from a file.
  private var expectedChecksums: Optional<[UInt64]>

  private var sections: [SectionFileHeader.Section]

  /// Bytes to be written.
  private var buffer: [UInt8]

  /// The size of a write call in bytes.
  private static let bufferByteCount = 1 << 20

  /// Makes the temporary file.
  ///
  /// - Parameters:
  ///   - path: the path of the final file, in a writable folder.
  ///   - access: who may use the file; nil for all that the process allows.
  /// - Throws: ``SnapshotError`` if that fails.
  package init(for path: String, access: FileAccess? = nil) throws(SnapshotError) {
    guard SectionFile.isLittleEndian else {
      throw .notWritten(path, because: "this machine is big-endian, and snapshots are not")
    }
    // nothing of a noncopyable value may be initialized before what throws
    file = try ReplacementFile(for: path, access: access)
    self.path = path
    (pointCount, expectedChecksums) = (nil, nil)
    sections = []
    // the header comes last
    buffer = [UInt8](repeating: 0, count: SectionFileHeader.byteCount)
    buffer.reserveCapacity(Self.bufferByteCount)
  }

  /// Writes the sections of a tree, which must be the file's first.
  ///
  /// - Complexity: O(n) for n points.
  package mutating func write(_ tree: KDTree) throws(SnapshotError) {
    precondition(pointCount == nil, "A section file holds one tree.")
    pointCount = tree.count
    expectedChecksums = tree.storage.treeChecksums
    let layout = TreeLayout(tree.view.shape)
    for (name, range) in zip(SectionFileHeader.treeNames, layout.sections) {
      try beginSection(name)
      try append(tree.storage.bytes(range))
    }
  }

  /// Ends the previous section and begins another one.
  ///
  /// - Parameter name: 1 to 8 visible ASCII characters; no other section may have it.
  /// - Throws: ``SnapshotError`` if the bytes cannot be written.
  package mutating func beginSection(_ name: String) throws(SnapshotError) {
    precondition(pointCount != nil, "The tree must be the first that is written to a section file.")
    precondition(
      SectionFileHeader.isName(name.utf8),
      "The name of a section must have 1 to 8 visible ASCII characters."
    )
    precondition(
      !sections.contains { $0.name == name },
      "No two sections of a file may have the same name."
    )
    precondition(
      sections.count < SectionFileHeader.sectionCapacity,
      "A section file has at most \(SectionFileHeader.sectionCapacity) sections."
    )
    let end = sections.last?.range.upperBound ?? SectionFileHeader.byteCount
    let start = TreeLayout.start(after: end)
    sections.append(SectionFileHeader.Section(name: name, range: end..<end, checksum: 0))
    try append([UInt8](repeating: 0, count: start - end))
    sections[sections.count - 1].range = start..<start
  }

  /// Appends bytes to the section; small ones are buffered.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SnapshotError) {
    precondition(!sections.isEmpty, "A section must begin before bytes are appended.")
    let range = sections[sections.count - 1].range
    sections[sections.count - 1].range = range.lowerBound..<range.upperBound + bytes.count
    guard buffer.count + bytes.count > Self.bufferByteCount else {
      buffer.append(contentsOf: bytes)
      return
    }
    try flush()
    if bytes.count < Self.bufferByteCount {
      buffer.append(contentsOf: bytes)
    } else {
      try file.append(bytes)
    }
  }

  /// Appends bytes to the section likewise.
  package mutating func append(_ bytes: [UInt8]) throws(SnapshotError) {
    try bytes.withUnsafeBufferPointer { bytes throws(SnapshotError) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }

  private mutating func flush() throws(SnapshotError) {
    try file.append(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes the header, syncs the file and renames it.
  ///
  /// - Parameters:
  ///   - storeID: the id of the database that the points are from.
  ///   - generation: the generation of that database.
  /// - Throws: ``SnapshotError`` if that fails, or if the tree is from a damaged file.
  package consuming func finish(storeID: UInt64, generation: UInt64) throws(SnapshotError) {
    guard let pointCount else { preconditionFailure("A section file needs a tree.") }
    try flush()
    let checksums = try file.map(sections.last?.range.upperBound ?? 0)
      .checksums(of: sections.map(\.range))
    for (index, checksum) in checksums.enumerated() { sections[index].checksum = checksum }
    let header = SectionFileHeader(
      pointCount: pointCount,
      storeID: storeID,
      generation: generation,
      sections: sections
    )
    // otherwise new checksums would hide the damage
    guard (expectedChecksums ?? header.treeChecksums) == header.treeChecksums else {
      throw .notWritten(path, because: "the snapshot that the tree is from is damaged")
    }
    try file.overwriteStart(header.bytes)
    try file.takePlace()
  }
}

extension KDTree {
  /// Writes the tree to a file that ``SectionFile`` opens.
  ///
  /// The file appears complete or not at all. It is written in the same folder as
  /// `PATH.` + 16 hexadecimal digits + `.tmp`, synced to the disk, and then renamed to the path. If that
  /// fails, the old file stays and the new one is removed. The new one stays only if the machine or
  /// process stops in between.
  ///
  /// The same coordinates give the same bytes, store id, generation and the header's checksum aside.
  ///
  /// - Parameters:
  ///   - path: the path of the file, in a writable folder.
  ///   - storeID: the id of the database that the points are from.
  ///   - generation: the generation of that database.
  /// - Throws: ``SnapshotError`` if that fails, or if the tree is from a damaged file.
  /// - Complexity: O(n) for n points.
  public func write(
    to path: String,
    storeID: UInt64,
    generation: UInt64
  ) throws(SnapshotError) {
    var writer = try SectionFileWriter(for: path)
    try writer.write(self)
    try writer.finish(storeID: storeID, generation: generation)
  }
}

/// A tree and other sections in one file, which opens in constant time: queries read from the disk
/// what they need.
///
/// ```swift
/// try KDTree(coordinates).write(to: "lunch.db.17.geoqx", storeID: 0x5A17, generation: 17)
/// let file = try SectionFile(path: "lunch.db.17.geoqx")
/// let nearest = file.tree.nearest(to: paris, count: 5)
/// ```
///
/// The file is a cache: if it is unusable, write it again. Opening checks everything that leads a
/// query from one part of the file to another, including its length. Other damage may give wrong
/// answers, but no query reads outside the file, traps or runs forever; ``verify()`` finds such
/// damage.
///
/// The file stays mapped into memory while the tree, a section or a copy of one is in use. To
/// replace it, write another one to its path: existing mappings stay valid. No process may truncate
/// it or write into it.
public struct SectionFile: Sendable {
  /// The path that the caller gave.
  public let path: String

  /// The tree, with the positions of the collection that it was built from.
  public let tree: KDTree

  let header: SectionFileHeader

  /// The bytes of nodes to load at opening: those of the upper levels, which every query needs.
  private static let earlyByteCount = 1 << 20

  /// Opens a file.
  ///
  /// Checks its type (a regular file, no symbolic link), its header, its length and the tree's root.
  ///
  /// - Parameter path: the path of the file.
  /// - Throws: ``SnapshotError`` if there is no such file, or it is unusable.
  /// - Complexity: O(1).
  public init(path: String) throws(SnapshotError) {
    guard Self.isLittleEndian else {
      throw .unusable(path, because: "this machine is big-endian, and snapshots are not")
    }
    let file = try MappedFile(path: path)
    header = try SectionFileHeader(try file.start(SectionFileHeader.byteCount), of: path)
    guard file.byteCount == header.fileByteCount else {
      let reason = "it is \(file.byteCount) bytes long and should be \(header.fileByteCount)"
      throw .unusable(path, because: reason)
    }
    let storage = try file.map(treeChecksums: header.treeChecksums)
    let layout = header.treeLayout
    storage.advise(layout.nodes.prefix(Self.earlyByteCount), .soon)
    Self.adviseScattered(storage, layout)
    self.path = path
    tree = KDTree(storage, TreeShape(pointCount: header.pointCount))
    // the only bytes in the tree's sections that could lead a query out of them, so another program
    // must not be able to change them after the check
    try file.copyPage(at: layout.nodes.lowerBound, of: storage)
    if let fault = tree.faultOfRoot { throw .unusable(path, because: fault) }
  }

  /// The id of the database that the points are from, as given by the writer.
  public var storeID: UInt64 { header.storeID }

  /// The generation of that database, as given by the writer.
  public var generation: UInt64 { header.generation }

  /// The length of the file.
  public var byteCount: Int { header.fileByteCount }

  /// The bytes of a section, including the tree's three; nil if there is none with this name.
  package func section(_ name: String) -> MappedSection? {
    header.sections.first { $0.name == name }
      .map { MappedSection(storage: tree.storage, range: $0.range) }
  }

  static let isLittleEndian = UInt32(1).littleEndian == 1

  /// Queries read leaves and coordinates at random.
  static func adviseScattered(_ storage: TreeStorage, _ layout: TreeLayout) {
    storage.advise(layout.leaves.lowerBound..<layout.byteCount, .scattered)
  }
}

/// The bytes of a section; the file stays mapped while this value or a copy of it exists.
///
/// `@unchecked Sendable`: the bytes are never written to.
package struct MappedSection: @unchecked Sendable {
  /// The bytes; the first one's offset in the file is a multiple of 4 096.
  package let bytes: UnsafeRawBufferPointer

  /// Keeps the bytes mapped.
  let storage: TreeStorage

  init(storage: TreeStorage, range: Range<Int>) {
    self.storage = storage
    bytes = storage.bytes(range)
  }
}

extension SectionFile {
  /// Reads the whole file and checks it.
  ///
  /// Checks that each section matches its checksum and that the bytes between sections are zero. Then
  /// checks the tree: each position occurs once, coordinates are in range, each point in a leaf is
  /// computed from its coordinate, and each box contains everything below it.
  ///
  /// - Throws: ``SnapshotError`` that names the first fault.
  /// - Complexity: O(n) for a file of n bytes, on all cores.
  public func verify() throws(SnapshotError) {
    try verifyBytes()
    if let fault = tree.fault() { throw .unusable(path, because: fault) }
  }

  /// Reads the whole file, and checks each section against its checksum and the bytes between them.
  ///
  /// - Throws: ``SnapshotError`` that names the first fault.
  package func verifyBytes() throws(SnapshotError) {
    func check(_ isSound: Bool, _ fault: @autoclosure () -> String) throws(SnapshotError) {
      if !isSound { throw .unusable(path, because: fault()) }
    }
    let (storage, layout) = (tree.storage, header.treeLayout)
    storage.advise(0..<layout.byteCount, .sequential)
    defer { Self.adviseScattered(storage, layout) }
    try check(
      header.bytes.elementsEqual(storage.bytes(0..<SectionFileHeader.byteCount)),
      "its header has changed since it was opened"
    )
    let found = storage.checksums(of: header.sections.map(\.range))
    var end = SectionFileHeader.byteCount
    for (section, checksum) in zip(header.sections, found) {
      try check(
        checksum == section.checksum,
        "the checksum of its section \(section.name) does not match"
      )
      try check(
        storage.bytes(end..<section.range.lowerBound).allSatisfy { $0 == 0 },
        "the bytes before its section \(section.name) are not zero"
      )
      end = section.range.upperBound
    }
  }
}

extension TreeStorage {
  /// The checksums of ranges, in parallel.
  func checksums(of ranges: [Range<Int>]) -> [UInt64] {
    Parallel.mapParts(of: ranges.indices, threads: ranges.count) { part in
      part.map { Checksum.of(bytes(ranges[$0])) }
    }.flatMap(\.self)
  }
}

/// Why a section file cannot be used, or was not written.
///
/// ```swift
/// do {
///   let file = try SectionFile(path: "lunch.db.17.geoqx")
/// } catch {
///   print(error)
///   // lunch.db.17.geoqx: unusable, because it is 12 288 bytes long and should be 16 384; write it again
/// }
/// ```
public struct SnapshotError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path as it was given.
  public let path: String

  /// The reason, as a clause: `there is no such file`.
  public let reason: String

  private let isOfWriting: Bool

  /// A file that cannot be opened or is not what it should be.
  package static func unusable(_ path: String, because reason: String) -> SnapshotError {
    SnapshotError(path: path, reason: reason, isOfWriting: false)
  }

  /// A file that could not be written.
  package static func notWritten(_ path: String, because reason: String) -> SnapshotError {
    SnapshotError(path: path, reason: reason, isOfWriting: true)
  }

  /// Path, reason, and what to do.
  public var description: String {
    isOfWriting
      ? "\(path): not written, because \(reason); see to that and write it again"
      : "\(path): unusable, because \(reason); write it again"
  }
}

/// A tree in a file: opened in no time, whatever its size, and read from the disk as queries ask for it.
///
/// ```swift
/// try KDTree(coordinates).write(to: "lunch.db.17.geoqx", storeID: 0x5A17, generation: 17)
/// let snapshot = try Snapshot(path: "lunch.db.17.geoqx")
/// let nearest = snapshot.tree.nearest(to: paris, count: 5)
/// ```
///
/// The file is a cache of what the tree was built from: whoever finds it unusable writes it again.
/// Opening checks everything that leads a query from one place of the file to another, the length of
/// the file included. What a damaged file holds beyond that may give wrong answers, but no query leaves
/// the file, traps or runs forever; ``verify()`` finds such damage.
///
/// The file is mapped into memory for as long as the tree or a copy of it is in use. To replace it,
/// write another one over it with ``KDTree/write(to:storeID:generation:)``, which leaves mappings of
/// the old one as they are. Nobody may cut it short or write into it.
public struct Snapshot: Sendable {
  /// The path as it was given.
  public let path: String

  /// The tree, with the positions of the collection that it was built from.
  public let tree: KDTree

  let header: SnapshotHeader

  /// The bytes of the nodes that are asked for at once: those of the upper levels.
  private static let earlyByteCount = 1 << 20

  /// Opens a snapshot.
  ///
  /// Checks that it is a regular file and no symbolic link, its header bit for bit, and that its length
  /// and sections are what the number of points asks for.
  ///
  /// - Parameter path: where the file is.
  /// - Throws: ``SnapshotError`` where there is no such file, or it is not usable.
  /// - Complexity: O(1).
  public init(path: String) throws(SnapshotError) {
    guard Self.isLittleEndian else {
      throw .unusable(path, because: "this machine is big-endian, and snapshots are not")
    }
    let file = try MappedFile(path: path)
    let bytes = try file.start(SnapshotHeader.byteCount)
    do {
      header = try SnapshotHeader(bytes)
    } catch {
      throw .unusable(path, because: error.reason)
    }
    let layout = header.layout
    guard file.byteCount == layout.byteCount else {
      let reason = "it is \(file.byteCount) bytes long and should be \(layout.byteCount)"
      throw .unusable(path, because: reason)
    }
    let storage = try file.map(checksums: header.checksums)
    storage.advise(layout.nodes.prefix(Self.earlyByteCount), .soon)
    Self.adviseScattered(storage, layout)
    self.path = path
    tree = KDTree(storage, TreeShape(pointCount: header.pointCount))
    // the one thing in the sections that could lead a query out of them
    if let fault = tree.faultOfRoot { throw .unusable(path, because: fault) }
  }

  /// Which database the points are from, as it was given when the file was written.
  public var storeID: UInt64 { header.storeID }

  /// Which state of that database the points are from, as it was given when the file was written.
  public var generation: UInt64 { header.generation }

  static let isLittleEndian = UInt32(1).littleEndian == 1

  /// Queries read leaves and coordinates here and there.
  static func adviseScattered(_ storage: TreeStorage, _ layout: TreeLayout) {
    storage.advise(layout.leaves.lowerBound..<layout.byteCount, .scattered)
  }
}

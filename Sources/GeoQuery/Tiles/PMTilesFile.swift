import GeoIndex

/// Reads PMTiles 3 files of any program, without copying them.
///
/// A tile costs one read for its bytes, and one for each directory that is not in memory. Reads are
/// bounded (`TileFileLimits`) and inside the file: damage leads to an error, or to other bytes.
package struct PMTilesFile: TileFile {
  /// The first bytes of a file.
  package static let magic = Array("PMTiles".utf8)

  package let info: TileFileInfo

  private let bytes: FileBytes
  private let leaves: FileBytes.Section
  private let data: FileBytes.Section
  private let root: PMTilesEntries
  private let memory = LeafMemory()
  private let unpackDirectory: Unpack

  /// Decompresses gzip; nil if it is damaged, or longer than the limit.
  package typealias Unpack = @Sendable (_ packed: [UInt8], _ limit: Int) -> [UInt8]?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - unpack: Decompresses gzip.
  /// - Throws: `TileFileError` if it is not PMTiles 3, or damaged.
  package init(_ bytes: FileBytes, unpack: @escaping Unpack) throws {
    let header = try PMTilesFileHeader(bytes)
    self.bytes = bytes
    leaves = header.leaves
    data = header.data
    let isPacked = header.hasPackedDirectories
    let unpackDirectory: Unpack = { isPacked ? unpack($0, $1) : $0.count <= $1 ? $0 : nil }
    self.unpackDirectory = unpackDirectory
    root = try Self.entries(bytes, header.root, unpackDirectory)
    info = TileFileInfo(
      format: header.format,
      zooms: header.zooms,
      bounds: header.bounds,
      metadata: try Self.metadata(bytes, header.metadata, unpackDirectory),
      identity: bytes.identity
    )
  }

  package func tile(_ address: TileAddress) throws -> [UInt8]? {
    let number = address.hilbertNumber
    var entries = root
    for _ in 0..<TileFileLimits.depth {
      guard let entry = entries.last(upTo: number) else { return nil }
      if entry.run > 0 {
        guard number - entry.number < UInt64(entry.run), entry.length > 0 else { return nil }
        return try bytes.read(entry.offset, UInt64(entry.length), of: data, TileFileLimits.tile)
      }
      entries = try leaf(entry)
    }
    throw TileFileError(bytes.path, because: "its directories are nested too deeply")
  }

  private func leaf(_ entry: PMTilesDirectory.Entry) throws -> PMTilesEntries {
    if let known = memory.leaf(at: entry.offset, length: entry.length) { return known }
    let section = try bytes.section(entry.offset, UInt64(entry.length), of: leaves)
    let found = try Self.entries(bytes, section, unpackDirectory)
    memory.remember(found, at: entry.offset, length: entry.length)
    return found
  }

  private static func entries(
    _ bytes: FileBytes,
    _ section: FileBytes.Section,
    _ unpack: Unpack
  ) throws -> PMTilesEntries {
    let packed = try bytes.read(section, TileFileLimits.directory)
    guard let directory = unpack(packed, TileFileLimits.unpackedDirectory),
      let entries = PMTilesEntries(directory)
    else { throw TileFileError(bytes.path, because: "a directory of tiles is damaged") }
    return entries
  }

  private static func metadata(
    _ bytes: FileBytes,
    _ section: FileBytes.Section,
    _ unpack: Unpack
  ) throws -> JSONValue {
    if section.length == 0 { return .null }
    let packed = try bytes.read(section, TileFileLimits.metadata)
    guard let text = unpack(packed, TileFileLimits.metadata),
      let value = try? JSONValue(parsing: text)
    else { throw TileFileError(bytes.path, because: "its metadata is damaged") }
    return value
  }
}

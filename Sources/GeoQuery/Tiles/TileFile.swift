import Foundation

/// A file of tiles from any program: it is not copied, and nothing in it is trusted.
package protocol TileFile: Sendable {
  var info: TileFileInfo { get }

  /// A tile as it is stored; nil if it is missing.
  ///
  /// - Throws: `TileFileError` if the file is damaged there.
  func tile(_ address: TileAddress) throws -> [UInt8]?
}

/// The metadata of a file of tiles.
package struct TileFileInfo: Sendable {
  package enum Format: String, Sendable, CaseIterable {
    case mvt = "pbf"
    case png
    case jpeg = "jpg"
    case webp
    case avif

    /// The format by its number in PMTiles (§3.2.10), the case's; names are those of MBTiles.
    package init?(number: UInt8) {
      guard (1...Self.allCases.count).contains(Int(number)) else { return nil }
      self = Self.allCases[Int(number) - 1]
    }

    package var mediaType: String {
      switch self {
      case .mvt: "application/vnd.mapbox-vector-tile"
      case .png: "image/png"
      case .jpeg: "image/jpeg"
      case .webp: "image/webp"
      case .avif: "image/avif"
      }
    }
  }

  package let format: Format

  /// The zooms, within 0...22.
  package let zooms: ClosedRange<Int>

  /// West, south, east and north in degrees; nil if missing or invalid.
  package let bounds: [Double]?

  /// The title of the tiles.
  package let name: String?

  /// The credit line that the map must show.
  package let attribution: String?

  /// The value of `vector_layers` as JSON.
  package let vectorLayers: String?

  /// The identity of the file's contents: other files, and changed ones, have another.
  package let identity: String

  /// Makes the metadata of a file; impossible zooms and bounds are omitted.
  package init(
    format: Format,
    zooms: (least: Int, greatest: Int),
    bounds: [Double],
    metadata: JSONValue,
    identity: String
  ) {
    self.format = format
    let greatest = min(max(zooms.greatest, 0), TileAddress.maximumZoom)
    self.zooms = min(max(zooms.least, 0), greatest)...greatest
    self.bounds = Self.box(bounds)
    name = metadata.tileText("name")
    attribution = metadata.tileText("attribution")
    if case .array(let layers)? = metadata[name: "vector_layers"] {
      vectorLayers = JSONWriter.of(.array(layers))
    } else {
      vectorLayers = nil
    }
    self.identity = identity
  }

  /// The sides of a box; nil if they are invalid.
  private static func box(_ sides: [Double]) -> [Double]? {
    let greatest = [180.0, 90, 180, 90]
    guard sides.count == 4, sides[0] <= sides[2], sides[1] <= sides[3],
      // GDAL rounds slightly outward
      zip(sides, greatest).allSatisfy({ abs($0) <= $1 + 0.001 })
    else { return nil }
    return zip(sides, greatest).map { min(max($0, -$1), $1) }
  }
}

extension JSONValue {
  /// A text in a file's metadata; nil if it is missing, or too long for a map.
  fileprivate func tileText(_ name: String) -> String? {
    guard case .string(let text)? = self[name: name], (1...4_096).contains(text.utf8.count) else {
      return nil
    }
    return text
  }
}

/// The reason why a file of tiles cannot be used.
package struct TileFileError: Error, Sendable, CustomStringConvertible {
  /// The path as it was given.
  package let path: String

  /// The reason, as a clause.
  package let reason: String

  package let isMissing: Bool

  package init(_ path: String, because reason: String, isMissing: Bool = false) {
    self.path = path
    self.reason = reason
    self.isMissing = isMissing
  }

  package var description: String { "\(path): no usable map, because \(reason)" }
}

/// The limits for reading a file of tiles: more is damage, or an attack.
package enum TileFileLimits {
  /// The maximum size of a tile, stored and decompressed, in bytes.
  package static let tile = 1 << 22
  /// The maximum size of a directory, stored and decompressed, in bytes.
  static let directory = 1 << 20
  static let unpackedDirectory = 1 << 21
  /// The maximum size of the metadata, in bytes.
  static let metadata = 1 << 21
  /// The maximum number of directories that lead to a tile.
  static let depth = 4
  /// The maximum number of directory entries in memory.
  static let keptEntries = 1 << 19
}

/// The bytes of a file, which is read piece by piece.
///
/// It is not mapped, so that a file truncated by another program gives an error.
package final class TileFileBytes: Sendable {
  /// The range of a part of the file; always inside the file.
  package struct Section: Sendable, Hashable {
    let offset: UInt64
    let length: UInt64
  }

  /// The path as it was given.
  package let path: String

  let all: Section

  /// The identity of the file's contents: other files, and changed ones, have another.
  package let identity: String

  private let descriptor: Int32

  /// Opens a file.
  ///
  /// - Throws: `TileFileError` if it is missing, or is not a regular file.
  package init(path: String) throws {
    // does not block if the name is that of a pipe
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      throw TileFileError(
        path,
        because: "it cannot be opened (\(String(cString: strerror(code))))",
        isMissing: code == ENOENT
      )
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw TileFileError(path, because: "it is not a regular file")
    }
    self.path = path
    self.descriptor = descriptor
    all = Section(offset: 0, length: UInt64(status.st_size))
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    identity = "\(status.st_ino).\(status.st_size).\(time.tv_sec).\(time.tv_nsec)"
  }

  deinit {
    close(descriptor)
  }

  /// The first bytes, at most `count`.
  package func start(_ count: Int) throws -> [UInt8] {
    let length = min(UInt64(count), all.length)
    return try read(Section(offset: 0, length: length), count)
  }

  /// A part of a part of the file.
  ///
  /// - Throws: `TileFileError` if it is outside the file.
  func section(_ offset: UInt64, _ length: UInt64, of outer: Section) throws -> Section {
    guard offset <= outer.length, length <= outer.length - offset else {
      throw TileFileError(path, because: "it is truncated")
    }
    return Section(offset: outer.offset + offset, length: length)
  }

  /// The bytes of a part of the file.
  ///
  /// - Throws: `TileFileError` if they are more than a limit, or cannot be read.
  func read(_ section: Section, _ limit: Int) throws -> [UInt8] {
    guard section.length <= UInt64(limit) else {
      throw TileFileError(path, because: "a part of it is longer than \(limit) bytes")
    }
    let wanted = Int(section.length)
    var bytes = [UInt8](repeating: 0, count: wanted)
    var filled = 0
    while filled < wanted {
      let count = bytes.withUnsafeMutableBytes { space in
        let start = space.baseAddress.map { $0 + filled }
        return pread(descriptor, start, wanted - filled, off_t(section.offset) + off_t(filled))
      }
      let code = errno
      if count < 0, code == EINTR { continue }
      guard count > 0 else {
        let reason = count == 0 ? "it is truncated" : String(cString: strerror(code))
        throw TileFileError(path, because: "it cannot be read (\(reason))")
      }
      filled += count
    }
    return bytes
  }
}

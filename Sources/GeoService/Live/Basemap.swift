import GeoQuery
import GeoStore

/// A basemap under the restaurants: a file of tiles.
package struct Basemap: Sendable {
  private let file: any TileFile
  var info: TileFileInfo { file.info }

  /// The credit line of the file as HTML: text, and links to the web.
  let attribution: String?

  /// Opens a file of PMTiles 3 or MBTiles, recognized by its first bytes.
  ///
  /// - Throws: `TileFileError` if it cannot be used.
  package init(path: String) throws {
    let bytes = try TileFileBytes(path: path)
    let start = try bytes.start(MBTilesFile.magic.count)
    if start.starts(with: PMTilesFile.magic) {
      file = try PMTilesFile(bytes, unpack: Gzip.unpacked)
    } else if start == MBTilesFile.magic {
      file = try MBTilesFile(bytes)
    } else {
      throw TileFileError(path, because: "it is neither PMTiles nor MBTiles")
    }
    attribution = file.info.attribution.map(HTMLText.credit)
  }

  /// A tile as it is stored, and decompressed; nil if it is missing.
  ///
  /// - Throws: `TileFileError` if the file is damaged there.
  func tile(_ address: TileAddress) throws -> (stored: [UInt8], bytes: [UInt8])? {
    guard info.zooms.contains(address.zoom), let stored = try file.tile(address) else { return nil }
    guard stored.starts(with: [0x1F, 0x8B]) else { return (stored, stored) }
    guard let bytes = Gzip.unpacked(stored, TileFileLimits.tile) else {
      throw TileFileError("the map", because: "a tile is damaged or too large")
    }
    return (stored, bytes)
  }
}

/// The tiles of a street map that the operator lets the page fetch:
/// `https://tiles.example/{z}/{x}/{y}.png`.
package struct BasemapTemplate: Sendable, Equatable {
  /// The address of a tile, with `{z}`, `{x}` and `{y}` in it.
  package let template: String

  /// The credit line for the map's makers, shown on each map.
  package let attribution: String

  /// Scheme, host and port, which the content security policy allows as a source of images.
  let origin: String

  /// The maximum length of a template and of an attribution, in bytes.
  package static let length = 500

  /// Checks a template; nil if it is not valid.
  ///
  /// It becomes a part of the content security policy and of the page, so only the characters of
  /// web addresses are allowed: `http` or `https`, a host, and a path or query with `{z}`, `{x}`
  /// and `{y}`.
  package init?(template: String, attribution: String) {
    guard template.utf8.count <= Self.length, (1...Self.length).contains(attribution.utf8.count),
      attribution.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { return nil }
    let schemes = ["https://", "http://"]
    guard let scheme = schemes.first(where: { template.hasPrefix($0) }) else { return nil }
    let rest = template.utf8.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    let path = rest.dropFirst(authority.count)
    guard Self.isAuthority(authority), path.allSatisfy(Self.isOfPath) else { return nil }
    var plain = String(Substring(path))
    for name in ["{z}", "{x}", "{y}"] {
      guard plain.contains(name) else { return nil }
      plain = plain.replacing(name, with: "")
    }
    guard !plain.contains("{"), !plain.contains("}") else { return nil }
    self.template = template
    self.attribution = attribution
    origin = scheme + String(Substring(authority))
  }

  /// Whether bytes form a host with an optional port: `tiles.example:8080`, `[::1]`.
  private static func isAuthority(_ bytes: Substring.UTF8View) -> Bool {
    var host = bytes
    if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), bytes.last != UInt8(ascii: "]") {
      let port = bytes[bytes.index(after: colon)...]
      guard let number = UInt16(String(Substring(port))), number > 0 else { return false }
      host = bytes[..<colon]
    }
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      let inner = host.dropFirst().dropLast()
      return !inner.isEmpty && inner.allSatisfy { $0.hexValue != nil || $0 == UInt8(ascii: ":") }
    }
    return !host.isEmpty
      && host.allSatisfy { $0.isAlphanumeric || "-.".utf8.contains($0) }
  }

  private static func isOfPath(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "/-._~%{}?&=@:!$*+".utf8.contains(byte)
  }
}

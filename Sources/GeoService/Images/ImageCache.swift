import Foundation
import GeoIndex
import GeoQuery
import NIOConcurrencyHelpers

/// Fetched images on the disk, with a maximum size: the least recently used are removed first.
///
/// The folder is the whole state: each file is named by a hash of its address, is written under
/// another name and renamed, and its time is that of its last use. So a killed service leaves
/// nothing to repair, and two services may share a folder.
package final class ImageCache: Sendable {
  private let files: ImageFiles
  private let maximumBytes: Int
  private let lock = NIOLock()

  /// Opens a folder, and creates it if necessary; nil if it cannot be created or written.
  package init?(_ path: String, maximumBytes: Int) {
    mkdir(path, 0o700)
    guard access(path, W_OK | X_OK) == 0, let files = ImageFiles(path) else { return nil }
    self.files = files
    self.maximumBytes = maximumBytes
    // a killed service may have left files, and the limit may have changed
    lock.withLock { files.alone { makeRoom(for: 0) } }
  }

  func image(of address: WebAddress) -> ServedImage? {
    let name = Self.name(of: address)
    guard let bytes = files.bytes(of: name) else { return nil }
    guard let image = ServedImage(bytes, isOwn: false) else {
      // damaged or changed by another program
      files.remove(name)
      return nil
    }
    files.touch(name)
    return image
  }

  /// Stores the image of an address.
  ///
  /// - Throws: `SnapshotError` if it cannot be written.
  func keep(_ image: ServedImage, of address: WebAddress) throws {
    try lock.withLock {
      try files.alone {
        makeRoom(for: image.bytes.count)
        let file = try ReplacementFile(for: files.path + "/" + Self.name(of: address))
        try file.append(image.bytes)
        try file.takePlace()
      }
    }
  }

  /// Removes files until `count` more bytes fit.
  private func makeRoom(for count: Int) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []
    var kept: [(name: String, size: Int, used: Int)] = []
    for name in names {
      guard let facts = files.facts(of: name) else { continue }
      if Self.isImage(name) {
        kept.append((name, facts.size, facts.used))
      } else if name.hasSuffix(".tmp") {
        // only one thread writes here, so the writer of this file was killed
        files.remove(name)
      }
    }
    kept.sort { ($0.used, $0.name) > ($1.used, $1.name) }
    var total = kept.reduce(count) { $0 + $1.size }
    while total > maximumBytes, let oldest = kept.popLast() {
      files.remove(oldest.name)
      total -= oldest.size
    }
  }

  private static func name(of address: WebAddress) -> String {
    SHA256.hexDigest(of: Array(address.text.utf8))
  }

  private static func isImage(_ name: String) -> Bool {
    name.utf8.count == 64 && name.utf8.allSatisfy(\.isLowerHex)
  }
}

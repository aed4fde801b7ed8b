import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// The snapshots next to a database: `lunch.db.17.geoqx` is that of generation 17.
struct SnapshotFiles: Sendable {
  let folder: String
  private let name: String
  private var database: String { "\(folder)/\(name)" }

  /// - Parameter database: The database file; if it is a symbolic link, the snapshots are next to
  /// its target.
  init(database: String) {
    let file = URL(fileURLWithPath: StoreFile(path: database).resolvedPath)
    folder = file.deletingLastPathComponent().path
    name = file.lastPathComponent
  }

  /// The path of a generation's snapshot.
  func path(of generation: Int) -> String { "\(folder)/\(name).\(generation).geoqx" }

  /// The snapshot of a generation.
  ///
  /// - Parameter state: The generation of the caller's transaction, and its random number:
  ///   generation 17 of another history has another number.
  /// - Returns: The snapshot, mapped.
  /// - Throws: `SnapshotProblem` if there is none, or it is unusable.
  func open(_ state: StoreState) throws(SnapshotProblem) -> Snapshot {
    let path = path(of: state.generation)
    // the database may have been made private after the snapshot
    FileAccess(of: database)?.narrow(path)
    let snapshot: Snapshot
    do {
      snapshot = try Snapshot(path: path)
    } catch {
      let isMissing = access(path, F_OK) != 0
      throw SnapshotProblem(path: path, reason: error.reason, isMissing: isMissing)
    }
    guard snapshot.storeID == state.edition, snapshot.generation == state.generation else {
      throw SnapshotProblem(
        path: path,
        reason: "it belongs to another state of the database",
        isMissing: false
      )
    }
    return snapshot
  }

  /// The generations that there are files of.
  func generations() -> [Int] {
    files().compactMap { _, parts in
      parts.count == 2 && parts[1] == "geoqx" && Self.isNumber(parts[0]) ? Int(parts[0]) : nil
    }
  }

  /// The names of all files that begin with that of the database, and the parts of what follows.
  private func files() -> [(name: String, parts: [Substring])] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(name + ".") }.map { found in
      let rest = found.dropFirst(name.count + 1)
      return (found, rest.split(separator: ".", omittingEmptySubsequences: false))
    }
  }

  /// Removes the snapshot of a generation that has not come to be.
  func remove(_ generation: Int) { unlink(path(of: generation)) }

  /// Removes what killed imports have left; the caller must hold the import's lock.
  ///
  /// A snapshot up to the current generation may be one that a reader is writing.
  func sweepTemporaries(beyond generation: Int) {
    for (found, parts) in files() where Self.isTemporary(parts) {
      let number = parts.count == 4 ? Int(parts[0]) : nil
      let path = "\(folder)/\(found)"
      if number.map({ $0 > generation }) ?? true || Self.isOld(path) { unlink(path) }
    }
  }

  /// The names of the temporary files next to the database, of running and of killed writers.
  func temporaries() -> [String] {
    files().filter { Self.isTemporary($0.parts) }.map(\.name).sorted()
  }

  /// Removes the snapshots of other generations, and the files of killed writers.
  ///
  /// Existing mappings stay valid. Files younger than a minute may be in use by another process,
  /// and stay.
  func sweep(keeping generation: Int) {
    for found in generations() where found != generation { remove(found) }
    for name in temporaries() where Self.isOld("\(folder)/\(name)") {
      unlink("\(folder)/\(name)")
    }
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether a name ends in 16 hexadecimal digits and `tmp`, after that of the database or of a snapshot.
  private static func isTemporary(_ parts: [Substring]) -> Bool {
    guard parts.count == 2 || parts.count == 4 && parts[1] == "geoqx", parts.last == "tmp" else {
      return false
    }
    let digits = parts[parts.count - 2]
    return digits.utf8.count == 16 && digits.allSatisfy(\.isHexDigit)
  }

  private static func isOld(_ path: String) -> Bool {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
    #if canImport(Darwin)
    let modified = facts.st_mtimespec.tv_sec
    #else
    let modified = facts.st_mtim.tv_sec
    #endif
    return time(nil) - modified > 60
  }
}

/// Why a snapshot is not used.
struct SnapshotProblem: Error {
  let path: String
  let reason: String

  /// Whether the file is missing.
  let isMissing: Bool
}

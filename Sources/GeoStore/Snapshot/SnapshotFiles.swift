import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// The snapshots beside a database: `lunch.db.17.geoqx` is that of its generation 17.
struct SnapshotFiles: Sendable {
  private let folder: String
  private let name: String

  /// - Parameter database: The database file; a symbolic link has its snapshots where the file is.
  init(database: String) {
    let file = URL(fileURLWithPath: pathBehindLinks(database))
    folder = file.deletingLastPathComponent().path
    name = file.lastPathComponent
  }

  /// The snapshot of a generation.
  func path(of generation: Int) -> String { "\(folder)/\(name).\(generation).geoqx" }

  /// The snapshot of a generation.
  ///
  /// - Parameter state: The generation of the caller's transaction, and the number that the database
  ///   has for it: another history's generation 17 has another one.
  /// - Returns: The snapshot, mapped.
  /// - Throws: `SnapshotProblem` if there is none, or it is not usable.
  func open(_ state: StoreState) throws(SnapshotProblem) -> Snapshot {
    let path = path(of: state.generation)
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
        reason: "it is not of this state of the database",
        isMissing: false
      )
    }
    return snapshot
  }

  /// Removes the snapshot of a generation that has not come to be.
  func remove(_ generation: Int) { unlink(path(of: generation)) }

  /// Removes what imports that died have left, for the holder of the import's lock.
  ///
  /// A snapshot up to the present generation may be one that a reader is making.
  func sweepTemporaries(beyond generation: Int) {
    for found in temporaries() {
      let parts = found.dropFirst(name.count + 1).split(separator: ".")
      let number = parts.count == 4 ? parts.first.flatMap { Int($0) } : nil
      let path = "\(folder)/\(found)"
      if number.map({ $0 > generation }) ?? true || Self.isOld(path) { unlink(path) }
    }
  }

  /// The names of the temporary files beside the database: of writers at work, and of those that died.
  func temporaries() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().filter { found in
      guard found.hasPrefix(name + ".") else { return false }
      let rest = found.dropFirst(name.count + 1)
        .split(separator: ".", omittingEmptySubsequences: false)
      switch rest.count {
      case 2: return Self.isTemporary(rest[0...1])
      case 4: return rest[1] == "geoqx" && Self.isTemporary(rest[2...3])
      default: return false
      }
    }
  }

  /// Removes the snapshots of other generations, and what writers that died have left.
  ///
  /// Whoever has mapped one keeps it. A file that another process is writing is younger than a minute.
  func sweep(keeping generation: Int) {
    let kept = "\(name).\(generation).geoqx"
    for found in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard found.hasPrefix(name + "."), found != kept else { continue }
      let rest = found.dropFirst(name.count + 1).split(
        separator: ".",
        omittingEmptySubsequences: false
      )
      let path = "\(folder)/\(found)"
      if rest.count == 2, rest[1] == "geoqx", Self.isNumber(rest[0]) { unlink(path) }
    }
    for name in temporaries() where Self.isOld("\(folder)/\(name)") {
      unlink("\(folder)/\(name)")
    }
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isTemporary(_ parts: ArraySlice<Substring>) -> Bool {
    parts.last == "tmp" && parts.first?.utf8.count == 16
      && parts.first?.allSatisfy(\.isHexDigit) == true
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

  /// Whether there is no such file.
  let isMissing: Bool
}

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

  private init(_ path: String, _ reason: String, isOfWriting: Bool) {
    self.path = path
    self.reason = reason
    self.isOfWriting = isOfWriting
  }

  /// A file that cannot be opened or is not what it should be.
  package static func unusable(_ path: String, because reason: String) -> SnapshotError {
    SnapshotError(path, reason, isOfWriting: false)
  }

  /// A file that could not be written.
  package static func notWritten(_ path: String, because reason: String) -> SnapshotError {
    SnapshotError(path, reason, isOfWriting: true)
  }

  /// Path, reason, and what to do.
  public var description: String {
    isOfWriting
      ? "\(path): not written, because \(reason); see to that and write it again"
      : "\(path): unusable, because \(reason); write it again"
  }
}

/// A file in its target's folder that replaces the target when it is complete.
///
/// All paths are relative to the open folder, so that renaming the folder or changing the working
/// directory has no effect.
final class TemporaryFile {
  /// Open for writing; the caller closes it.
  let descriptor: Int32

  private let path: String
  private let folder: String
  private let target: String
  private let name: String
  private let folderDescriptor: Int32
  private var slot: Int?
  private var isPending = true

  /// Creates an empty file named `.NAME.geoq-XXXXXX`.
  ///
  /// - Parameters:
  ///   - place: The final path.
  ///   - permissions: The permissions of the replaced file; `nil` for those of the umask.
  ///   - path: Its name in errors.
  /// - Throws: `OutputError.cannotCreate`.
  init(for place: FilePlace, permissions: mode_t?, path: String) throws(OutputError) {
    self.path = path
    folder = place.folder
    target = place.name
    guard !target.isEmpty else {
      throw .cannotCreate(path: path, errno: path.isEmpty ? ENOENT : EISDIR)
    }
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let folderDescriptor = open(place.folder, flags)
    guard folderDescriptor >= 0 else { throw .cannotCreate(path: path, errno: errno) }
    let (name, descriptor) = Self.create(for: target, in: folderDescriptor)
    guard descriptor >= 0 else {
      let code = errno
      close(folderDescriptor)
      throw .cannotCreate(path: path, errno: code)
    }
    if let permissions { fchmod(descriptor, permissions) }
    self.folderDescriptor = folderDescriptor
    self.name = name
    self.descriptor = descriptor
    slot = TemporaryCleanup.remember(name, in: folderDescriptor)
  }

  deinit {
    remove()
    close(folderDescriptor)
  }

  /// The path of the file before it is renamed, for libraries that open files by path.
  var currentPath: String { folder + "/" + name }

  /// `fsync` of the content: returns 0, or -1 with `errno`.
  func sync() -> Int32 {
    Self.sync(descriptor)
  }

  /// Renames the file and syncs the folder.
  ///
  /// - Throws: `OutputError.exists` if another file has appeared there and `force` is off, or
  ///   `.failed`.
  func moveIntoPlace(force: Bool) throws(OutputError) {
    let code = force ? rename() : linkWithoutReplacing()
    guard code != EEXIST else { throw .exists(path: path) }
    guard code == 0 else { throw .failed(path: path, errno: code) }
    isPending = false
    TemporaryCleanup.forget(slot)
    // some file systems cannot sync a folder, and fail with EINVAL
    guard Self.sync(folderDescriptor) == 0 || errno == EINVAL else {
      throw .failed(path: path, errno: errno)
    }
  }

  /// Replaces an existing file; returns 0 or the error number.
  private func rename() -> Int32 {
    renameat(folderDescriptor, name, folderDescriptor, target) == 0 ? 0 : errno
  }

  /// Uses the name only if it is free; returns 0 or the error number.
  private func linkWithoutReplacing() -> Int32 {
    guard linkat(folderDescriptor, name, folderDescriptor, target, 0) != 0 else {
      unlinkat(folderDescriptor, name, 0)
      return 0
    }
    let code = errno
    // some file systems have no links: check, then rename
    guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) else { return code }
    var status = stat()
    let isThere = fstatat(folderDescriptor, target, &status, AT_SYMLINK_NOFOLLOW) == 0
    return isThere ? EEXIST : rename()
  }

  /// Unlinks the file unless it has been renamed.
  func remove() {
    guard isPending else { return }
    isPending = false
    unlinkat(folderDescriptor, name, 0)
    TemporaryCleanup.forget(slot)
  }

  /// Creates a file with an unused name; the descriptor is -1 with `errno` on failure.
  private static func create(for target: String, in folder: Int32) -> (String, Int32) {
    var stem = target
    while stem.utf8.count > 240 { stem.removeLast() }  // the whole name has at most 255 bytes
    while true {
      let random = (0..<6).compactMap { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement()
      }
      let name = ".\(stem).geoq-\(String(random))"
      let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 || errno != EEXIST { return (name, descriptor) }
    }
  }

  private static func sync(_ descriptor: Int32) -> Int32 {
    while true {
      let result = fsync(descriptor)
      if result == 0 || errno != EINTR { return result }
    }
  }
}

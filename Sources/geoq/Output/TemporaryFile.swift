import Foundation

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
  /// Its permissions are those of the replaced file, if given, or of the umask; errors name `path`.
  ///
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

/// Unlinks temporary files when SIGINT, SIGTERM or SIGHUP ends the process.
///
/// The process then ends by the same signal, so that its exit code is 128 + the signal's number.
/// Signals that are ignored (`nohup`) or handled elsewhere are not changed. At most 16 files at a
/// time are known; after SIGKILL a file always stays.
enum TemporaryCleanup {
  /// Registers a temporary file until `forget(_:)`; the folder's descriptor must stay open until then.
  ///
  /// - Returns: The argument for `forget(_:)`; `nil` if too many files are known.
  static func remember(_ name: String, in folder: Int32) -> Int? {
    slotsLock.withLock {
      installOnce
      guard let free = (0..<slotCount).first(where: { slots[$0] == nil }) else { return nil }
      // never freed, 40 bytes per output, because a handler on another thread may be reading it
      let entry = UnsafeMutablePointer<Temporary>.allocate(capacity: 1)
      entry.initialize(to: Temporary(folder: folder, name: strdup(name)))
      slots[free] = entry
      return free
    }
  }

  /// Forgets a file that has been renamed or unlinked.
  static func forget(_ slot: Int?) {
    if let slot { slotsLock.withLock { slots[slot] = nil } }
  }

  private static let installOnce: Void = {
    // runs the handler's loop once with nothing to unlink: the first use of a global or of generic
    // metadata takes locks, which a signal handler must not
    unlinkTemporaries()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var current = sigaction()
      guard sigaction(number, nil, &current) == 0, current.isDefault else { continue }
      signal(number, dieOfSignal)
    }
  }()
}

/// A file to unlink: a name in an open folder, for which `unlinkat` allocates no memory.
private struct Temporary {
  let folder: Int32
  let name: UnsafeMutablePointer<CChar>?
}

private let slotCount = 16

/// Written under the lock; a signal handler reads it without the lock, one aligned word at a time.
nonisolated(unsafe) private let slots: UnsafeMutablePointer<UnsafeMutablePointer<Temporary>?> = {
  let slots = UnsafeMutablePointer<UnsafeMutablePointer<Temporary>?>.allocate(capacity: slotCount)
  slots.initialize(repeating: nil, count: slotCount)
  return slots
}()

private let slotsLock = NSLock()

/// The signal handler: calls async-signal-safe functions only (unlinkat, signal, raise).
private func dieOfSignal(_ number: Int32) {
  unlinkTemporaries()
  signal(number, SIG_DFL)
  raise(number)  // delivered when the handler returns
}

/// Unlinks all registered files.
func unlinkTemporaries() {
  var slot = 0
  while slot < slotCount {
    if let entry = slots[slot], let name = entry.pointee.name {
      unlinkat(entry.pointee.folder, name, 0)
    }
    slot += 1
  }
}

extension sigaction {
  /// Whether the signal has its default action; `SIG_DFL` is the null pointer.
  fileprivate var isDefault: Bool {
    #if canImport(Glibc)
    unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 0
    #else
    unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self) == 0
    #endif
  }
}

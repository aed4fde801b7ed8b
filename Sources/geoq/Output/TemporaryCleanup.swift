/// Unlinks temporary files when SIGINT, SIGTERM or SIGHUP ends the process.
///
/// The process then ends by the same signal, so that its exit code is 128 + the signal's number.
/// Signals that are ignored (`nohup`) or handled elsewhere are not changed. At most 16 files at a
/// time are known; after SIGKILL a file always stays.
enum TemporaryCleanup {
  /// Registers a temporary file until `forget(_:)`.
  ///
  /// - Parameters:
  ///   - name: The file's name in the folder.
  ///   - folder: The folder's descriptor, open until the file is forgotten.
  /// - Returns: The argument for `forget(_:)`; `nil` if too many files are known.
  static func remember(_ name: String, in folder: Int32) -> Int? {
    pthread_mutex_lock(slotsLock)
    defer { pthread_mutex_unlock(slotsLock) }
    installOnce
    guard let free = (0..<slotCount).first(where: { slots[$0] == nil }) else { return nil }
    // never freed, 40 bytes per output, because a handler on another thread may be reading it
    let entry = UnsafeMutablePointer<Temporary>.allocate(capacity: 1)
    entry.initialize(to: Temporary(folder: folder, name: strdup(name)))
    slots[free] = entry
    return free
  }

  /// Forgets a file that has been renamed or unlinked.
  static func forget(_ slot: Int?) {
    guard let slot else { return }
    pthread_mutex_lock(slotsLock)
    defer { pthread_mutex_unlock(slotsLock) }
    slots[slot] = nil
  }

  /// Unlinks all registered files, as the signals do.
  static func unlinkAll() { unlinkTemporaries() }

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

/// On the heap, because a mutex must not move.
nonisolated(unsafe) private let slotsLock: UnsafeMutablePointer<pthread_mutex_t> = {
  let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  pthread_mutex_init(lock, nil)
  return lock
}()

/// The signal handler: calls async-signal-safe functions only (unlinkat, signal, raise).
private func dieOfSignal(_ number: Int32) {
  unlinkTemporaries()
  signal(number, SIG_DFL)
  raise(number)  // delivered when the handler returns
}

private func unlinkTemporaries() {
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

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A new file that replaces another one, if that exists.
///
/// It has a temporary name in the same folder, and is removed unless ``takePlace()`` succeeds.
package struct ReplacementFile: ~Copyable {
  private let path: String
  private let temporaryPath: String
  private let descriptor: Int32
  private let folder: Int32

  /// The maximum size of a write: systems do not accept more than 2³¹ bytes.
  private static let maximumCall = 1 << 30

  /// Creates an empty file in the folder of a path.
  ///
  /// - Parameters:
  ///   - path: the file that it replaces.
  ///   - access: who may use it; nil for all that the process allows.
  /// - Throws: `SnapshotError` if it cannot be made.
  package init(for path: String, access: FileAccess? = nil) throws(SnapshotError) {
    guard !SystemCall.hasZeroByte(path) else {
      throw .notWritten(path, because: "its path holds a zero byte")
    }
    let bits = String(UInt64.random(in: .min ... .max), radix: 16)
    let temporaryPath = path + "." + String(repeating: "0", count: 16 - bits.count) + bits + ".tmp"
    // the folder is opened before the old file is touched
    let folder: Int32
    do {
      let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
      folder = try SystemCall.descriptor(of: Self.folder(of: path), flags)
    } catch {
      throw .notWritten(path, because: "its folder cannot be opened (\(error.text))")
    }
    do {
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let mode: mode_t = access == nil ? 0o644 : 0o600
      descriptor = try SystemCall.descriptor(of: temporaryPath, flags, mode)
    } catch {
      close(folder)
      throw .notWritten(path, because: "no file can be made in its folder (\(error.text))")
    }
    access?.give(to: descriptor)
    self.path = path
    self.temporaryPath = temporaryPath
    self.folder = folder
  }

  deinit {
    close(descriptor)
    close(folder)
    // after a rename there is no file with this name
    unlink(temporaryPath)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Appends bytes.
  package func append(_ bytes: [UInt8]) throws(SnapshotError) {
    try bytes.withUnsafeBufferPointer { bytes throws(SnapshotError) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Appends bytes, with several system calls if necessary.
  func append(_ bytes: UnsafeRawBufferPointer) throws(SnapshotError) {
    guard let start = bytes.baseAddress else { return }
    var offset = 0
    do throws(SystemCall.Failure) {
      while offset < bytes.count {
        let count = min(bytes.count - offset, Self.maximumCall)
        let written = try SystemCall.run { write(descriptor, start + offset, count) }
        // otherwise a call that writes nothing would be repeated forever
        guard written > 0 else { throw SystemCall.Failure(code: EIO) }
        offset += written
      }
    } catch {
      throw .notWritten(path, because: "its bytes cannot be written (\(error.text))")
    }
  }

  /// Replaces the first bytes; nothing can be appended afterward.
  func overwriteStart(_ bytes: [UInt8]) throws(SnapshotError) {
    do {
      try SystemCall.run { lseek(descriptor, 0, SEEK_SET) }
    } catch {
      throw .notWritten(path, because: "its bytes cannot be written (\(error.text))")
    }
    try append(bytes)
  }

  /// Maps what was written, to be read only.
  func map(_ byteCount: Int) throws(SnapshotError) -> TreeStorage {
    do {
      return try TreeStorage(file: descriptor, byteCount: byteCount)
    } catch {
      throw .notWritten(path, because: "it cannot be mapped into memory (\(error.text))")
    }
  }

  /// Makes the file durable and renames it to replace the old one.
  package consuming func takePlace() throws(SnapshotError) {
    do {
      try SystemCall.sync(descriptor)
    } catch {
      throw .notWritten(path, because: "its bytes cannot be brought to the disk (\(error.text))")
    }
    do {
      try SystemCall.run { rename(temporaryPath, path) }
    } catch {
      throw .notWritten(path, because: "it cannot take its place (\(error.text))")
    }
    do {
      try SystemCall.sync(folder)
    } catch {
      let reason = "it is in its place, but its name may not outlive a power cut (\(error.text))"
      throw .notWritten(path, because: reason)
    }
  }
}

/// Who may use a file: its owner, group and mode.
package struct FileAccess: Sendable {
  private let owner: uid_t
  private let group: gid_t
  private let mode: mode_t

  /// Only this process's user.
  package static var thisUser: FileAccess {
    FileAccess(owner: geteuid(), group: getegid(), mode: 0o600)
  }

  private init(owner: uid_t, group: gid_t, mode: mode_t) {
    (self.owner, self.group, self.mode) = (owner, group, mode)
  }

  /// The users who may use the file at a path; nil if there is none or it is not accessible.
  package init?(of path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(owner: facts.st_uid, group: facts.st_gid, mode: facts.st_mode & 0o666)
  }

  /// Gives a file this owner, group and mode, as far as the system permits.
  ///
  /// The file must have mode 0600, so that it is not open to others before.
  package func give(to descriptor: Int32) {
    let isGroup = fchown(descriptor, owner, group) == 0 || fchown(descriptor, .max, group) == 0
    // otherwise the rights of the group would go to another one
    fchmod(descriptor, mode & (isGroup ? 0o666 : 0o606) | 0o600)
  }

  /// Takes rights that these users do not have from a file, if this process owns it.
  package func narrow(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & 0o066 & ~mode != 0 else { return }
    fchmod(descriptor, facts.st_mode & (mode | 0o600) & 0o666)
  }
}

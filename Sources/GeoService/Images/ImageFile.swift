#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files of a folder that is held open, so that a name cannot lead out of it.
final class ImageFiles: Sendable {
  /// The path of the folder.
  let path: String

  private let descriptor: Int32

  /// Opens a folder; nil if it is not one.
  init?(_ path: String) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { return nil }
  }

  deinit {
    close(descriptor)
  }

  /// The bytes of a file; nil if it is missing, is a link or another special file, or is too large.
  func bytes(of name: String) -> [UInt8]? {
    guard !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    // does not block on a pipe with this name
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      facts.st_size <= ImageLimits.bytes
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { break }
      count += got
    }
    return count == bytes.count ? bytes : nil
  }

  /// Sets the time of a file's last use to now.
  func touch(_ name: String) {
    utimensat(descriptor, name, nil, 0)
  }

  /// Removes a file.
  func remove(_ name: String) {
    unlinkat(descriptor, name, 0)
  }

  /// A regular file's size, and the time of its last use in nanoseconds; nil for anything else.
  func facts(of name: String) -> (size: Int, used: Int)? {
    var facts = stat()
    guard fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0,
      facts.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return (Int(facts.st_size), Self.nanoseconds(of: facts))
  }

  /// The time of the last change of the folder's list of names, in nanoseconds.
  var changed: Int {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? Self.nanoseconds(of: facts) : 0
  }

  private static func nanoseconds(of facts: stat) -> Int {
    #if canImport(Glibc)
    let time = facts.st_mtim
    #else
    let time = facts.st_mtimespec
    #endif
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Runs a block while no other process runs one through this function.
  func alone(_ body: () throws -> Void) rethrows {
    flock(descriptor, LOCK_EX)
    defer { flock(descriptor, LOCK_UN) }
    try body()
  }
}

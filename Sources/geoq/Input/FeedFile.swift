import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The bytes of a feed from a file or from standard input, bounded in size.
enum FeedFile {
  /// Reads all of standard input.
  static func readStandardInput() throws -> [UInt8] {
    try readAll(from: STDIN_FILENO, path: "standard input")
  }

  /// Reads a file or a named pipe.
  ///
  /// - Throws: `CommandFailure` where it is missing, a folder, a device, not permitted, too large or
  ///   unreadable.
  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = try descriptor(of: path)
    defer { close(descriptor) }
    return try readAll(from: descriptor, path: path)
  }

  /// Opens a file or a named pipe for reading; the caller closes it.
  ///
  /// - Throws: `CommandFailure` where it is missing, a folder, a device or not permitted.
  static func descriptor(of path: String) throws -> Int32 {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw failure(path, errno) }
    switch facts.st_mode & S_IFMT {
    case S_IFREG, S_IFIFO: break
    case S_IFDIR: throw refusal(path, "is a folder; name a file in it")
    default: throw refusal(path, "is a device, not a file")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(path, errno) }
    return descriptor
  }

  private static func readAll(from descriptor: Int32, path: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let chunk = try readChunk(from: descriptor, count: 1 << 20, path: path)
      if chunk.isEmpty { return bytes }
      bytes += chunk
      guard bytes.count <= FeedReader.maximumBytes else {
        throw CommandFailure(
          "\(terminalSafe(path)): larger than \(FeedReader.maximumBytes >> 20) MiB, "
            + "the most that is read; split it",
          exitCode: CommandFailure.badData
        )
      }
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case ENOENT, ENOTDIR: refusal(path, "no such file")
    case EACCES, EPERM:
      CommandFailure(
        "\(terminalSafe(path)): may not be read; check its permissions",
        exitCode: CommandFailure.permission
      )
    default: refusal(path, "cannot be opened: \(String(cString: strerror(code)))")
    }
  }

  private static func refusal(_ path: String, _ problem: String) -> CommandFailure {
    CommandFailure("\(terminalSafe(path)): \(problem)", exitCode: CommandFailure.noInput)
  }
}

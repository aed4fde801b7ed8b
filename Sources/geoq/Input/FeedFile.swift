import GeoFeed

/// A feed that is read piece by piece from a file, a named pipe or standard input.
final class FeedFile: ByteSource {
  private var bytes: FileBytes
  private let descriptor: Int32
  private let path: String

  /// Opens a file or a named pipe.
  ///
  /// - Throws: `CommandFailure` if it is missing, a folder, a device or not readable.
  init(path: String) throws {
    descriptor = try Self.descriptor(of: path)
    bytes = FileBytes(descriptor: descriptor)
    self.path = path
  }

  /// Reads from an open descriptor, which is closed at the end.
  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    bytes = FileBytes(descriptor: descriptor)
    path = name
  }

  deinit {
    close(descriptor)
  }

  /// The number of bytes of text to come; nil if unknown: for a pipe, or compressed.
  var textByteCount: Int? {
    var facts = stat()
    var start: [UInt8] = [0, 0]
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      pread(descriptor, &start, 2, 0) == 2, start != [0x1F, 0x8B]
    else { return nil }
    return Int(facts.st_size)
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    do {
      return try bytes.read(into: space)
    } catch {
      throw CommandFailure("\(terminalSafe(path)): \(error)", exitCode: CommandFailure.inputOutput)
    }
  }

  /// Opens a file or a named pipe for reading; the caller closes it.
  ///
  /// - Throws: `CommandFailure` if it is missing, a folder, a device or not readable.
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

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case ENOENT, ENOTDIR: refusal(path, "no such file")
    case EACCES, EPERM:
      CommandFailure(
        "\(terminalSafe(path)) is not readable; check its permissions",
        exitCode: CommandFailure.permission
      )
    default: refusal(path, "cannot be opened: \(String(cString: strerror(code)))")
    }
  }

  private static func refusal(_ path: String, _ problem: String) -> CommandFailure {
    CommandFailure("\(terminalSafe(path)): \(problem)", exitCode: CommandFailure.noInput)
  }
}

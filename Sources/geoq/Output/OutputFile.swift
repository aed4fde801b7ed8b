import GeoService

/// The file of `-o`, which appears only when it is complete.
///
/// Bytes go into a temporary file in the same folder, and `commit()` renames it: after a failure, a
/// signal or a crash the old file is unchanged. A symbolic link stays, and its target is replaced.
/// Pipes and devices are written directly.
///
///     let file = try OutputFile(path: "dallas.geojson", force: false)
///     try file.write(Array("{}\n".utf8))
///     try file.commit()
///
/// A replaced file keeps its permissions, a new one has those of the umask. A file whose name ends
/// in `.gz` is compressed.
final class OutputFile {
  /// Writes the bytes, compressed or not.
  let writer: OutputWriter

  private let gzip: GzipStream?
  private let path: String
  private let force: Bool
  private let descriptor: Int32
  private let temporary: TemporaryFile?
  private var isOpen = true

  /// Opens the output; nothing appears at the path before `commit()`.
  ///
  /// - Throws: `OutputError` if the path cannot or must not be written.
  init(path: String, force: Bool) throws(OutputError) {
    self.path = path
    self.force = force
    switch try OutputTarget(path: path, force: force) {
    case .file(let place, let permissions):
      let file = try TemporaryFile(for: place, permissions: permissions, path: path)
      temporary = file
      descriptor = file.descriptor
    case .stream(let place):
      temporary = nil
      descriptor = open(place, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    case .descriptor(let number):
      temporary = nil
      descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
    }
    guard descriptor >= 0 else { throw .cannotCreate(path: path, errno: errno) }
    writer = OutputWriter(descriptor: descriptor, path: path)
    gzip = GzipStream.isNamed(by: path) ? GzipStream() : nil
  }

  /// The path of the file before `commit()`, for libraries that write to a path; nil for pipes and
  /// devices.
  var currentPath: String? { temporary?.currentPath }

  func write(_ bytes: [UInt8]) throws(OutputError) {
    try writer.write(gzip?.compress(bytes) ?? bytes)
  }

  deinit {
    discard()
  }

  /// Makes the content durable and renames the file; the temporary file is removed if that fails.
  func commit() throws(OutputError) {
    precondition(isOpen, "An output file is committed once, and not after it was discarded.")
    defer { discard() }
    if let gzip { try writer.write(gzip.compress([], isEnd: true)) }
    try writer.flush()
    guard let temporary else {
      isOpen = false
      return try check(close(descriptor))
    }
    try check(temporary.sync())
    isOpen = false
    try check(close(descriptor))
    try temporary.moveIntoPlace(force: force)
  }

  /// Discards the output; the old file is unchanged.
  ///
  /// Does nothing after `commit()`.
  func discard() {
    if isOpen { close(descriptor) }
    isOpen = false
    temporary?.remove()
  }

  private func check(_ result: Int32) throws(OutputError) {
    if result != 0 { throw .failed(path: path, errno: errno) }
  }
}

/// The kinds of targets of `-o`.
enum OutputTarget: Equatable {
  /// A new file, or one to replace, with its permissions.
  case file(FilePlace, permissions: mode_t?)
  /// A pipe or a device, which is written directly.
  case stream(path: String)
  /// A descriptor of this process, as in `/dev/stdout`.
  case descriptor(Int32)

  /// Whether it is a file to create or replace.
  var isFile: Bool { if case .file = self { true } else { false } }

  /// Finds the kind of a path, following symbolic links.
  ///
  /// - Throws: `OutputError.exists`, `.notAFile` or `.cannotCreate`.
  init(path: String, force: Bool) throws(OutputError) {
    if let descriptor = Self.ownDescriptor(path) {
      self = .descriptor(descriptor)
      return
    }
    let place = try Self.followingLinks(path)
    var status = stat()
    guard stat(place, &status) == 0 else {
      guard errno == ENOENT else { throw .cannotCreate(path: path, errno: errno) }
      self = .file(FilePlace(path: place), permissions: nil)
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG where force:
      self = .file(FilePlace(path: place), permissions: status.st_mode & 0o777)
    case S_IFREG: throw .exists(path: path)
    case S_IFIFO, S_IFCHR: self = .stream(path: place)
    case S_IFDIR: throw .notAFile(path: path, what: "a folder")
    default: throw .notAFile(path: path, what: "a socket or block device")
    }
  }

  /// The descriptor that a path of this process names, which must not be replaced like a file.
  private static func ownDescriptor(_ path: String) -> Int32? {
    if path == "/dev/stdout" { return CommandContext.current.output }
    if path == "/dev/stderr" { return CommandContext.current.error }
    guard path.hasPrefix("/dev/fd/") else { return nil }
    return Int32(path.dropFirst("/dev/fd/".count))
  }

  /// The path at the end of a chain of symbolic links, whether or not the file exists.
  private static func followingLinks(_ path: String) throws(OutputError) -> String {
    var place = path
    for _ in 0..<40 {  // Linux follows 40 links
      guard let target = link(at: place) else { return place }
      place = target.hasPrefix("/") ? target : FilePlace(path: place).folder + "/" + target
    }
    throw .cannotCreate(path: path, errno: ELOOP)
  }

  /// The target of a symbolic link; `nil` if the path is not one.
  private static func link(at path: String) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { bytes, count in
      count = bytes.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { max(0, readlink(path, $0, text.count)) } ?? 0
      }
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}

/// A path in two parts: the folder to open and the name in it.
struct FilePlace: Equatable {
  /// The folder, `.` for a bare name.
  let folder: String
  /// The last part, empty if the path ends in a slash.
  let name: String

  /// Splits at the last slash.
  init(path: String) {
    guard let slash = path.lastIndex(of: "/") else {
      folder = "."
      name = path
      return
    }
    folder = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.index(after: slash)...])
  }
}

/// Writes bytes to a descriptor through a buffer, and reports every failure.
///
/// All standard output is written with it: `print` ignores the error when the reader of a pipe is
/// gone, but this throws `OutputError.closed`, and the command stops and exits with 0. The process
/// must ignore SIGPIPE. After an error every call throws it again; nothing is retried.
///
/// `deinit` does not flush, because it could not report an error.
final class OutputWriter {
  /// `write(2)`, which the tests replace.
  typealias WriteCall = (Int32, UnsafeRawPointer, Int) -> Int

  private let descriptor: Int32
  private let path: String
  private let capacity: Int
  private let writeCall: WriteCall
  private var buffer: [UInt8] = []
  private var failure: OutputError?

  /// A writer that leaves the descriptor open, blocking or not; errors name the path.
  init(
    descriptor: Int32,
    path: String,
    capacity: Int = 65_536,
    writeCall: @escaping WriteCall = systemWrite
  ) {
    self.descriptor = descriptor
    self.path = path
    self.capacity = capacity
    self.writeCall = writeCall
    buffer.reserveCapacity(capacity)
  }

  /// Adds bytes, and writes the buffer when it is full.
  func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
    if let failure { throw failure }
    buffer.append(contentsOf: bytes)
    if buffer.count >= capacity { try flush() }
  }

  /// Adds text as UTF-8, and writes the buffer when it is full.
  func write(_ text: String) throws(OutputError) {
    try write(text.utf8)
  }

  /// Writes all buffered bytes.
  func flush() throws(OutputError) {
    if let failure { throw failure }
    let code = buffer.withUnsafeBytes(writeAll)
    buffer.removeAll(keepingCapacity: true)
    guard code != 0 else { return }
    let error = code == EPIPE ? OutputError.closed : .failed(path: path, errno: code)
    failure = error
    throw error
  }

  /// Writes all bytes; returns 0 or the error number.
  private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var rest = bytes[...]
    while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let written = writeCall(descriptor, start, rest.count)
      if written > 0 {
        rest.removeFirst(written)
      } else if written == 0 {
        return EIO  // a device that accepts nothing would cause an endless loop
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        waitUntilWritable()
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// Waits for room if another process has made the shared pipe or terminal non-blocking.
  private func waitUntilWritable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}

/// `write(2)`, which methods of the same name would hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// Why output could not be written.
enum OutputError: Error, Equatable {
  /// The reader is gone (EPIPE): stop quietly and exit with 0.
  case closed
  /// The file exists and `--force` was not given.
  case exists(path: String)
  /// The path is something that cannot be written like a file, such as a folder.
  case notAFile(path: String, what: String)
  /// The file cannot be opened or created.
  case cannotCreate(path: String, errno: Int32)
  /// Writing, syncing or renaming failed.
  case failed(path: String, errno: Int32)

  /// The exit code, by the system's error number if there is one.
  var exitCode: Int32 {
    switch self {
    case .closed: 0
    case .exists, .notAFile: 73
    case .cannotCreate(_, EACCES), .cannotCreate(_, EPERM), .failed(_, EACCES), .failed(_, EPERM):
      77
    case .cannotCreate(_, ENOSPC), .cannotCreate(_, EDQUOT), .cannotCreate(_, EIO), .failed: 74
    case .cannotCreate: 73
    }
  }
}

extension OutputError: CustomStringConvertible {
  /// One sentence: what, where, what to do.
  var description: String {
    switch self {
    case .closed:
      "the reader of the output has closed it"
    case .exists(let path):
      "\(terminalSafe(path)) exists; use --force to overwrite it"
    case .notAFile(let path, let what):
      "\(terminalSafe(path)) is \(what); name a file"
    case .cannotCreate(let path, let errno):
      "cannot create \(terminalSafe(path)): \(Self.reason(errno))"
    case .failed(let path, let errno):
      "cannot write \(terminalSafe(path)): \(Self.reason(errno))"
    }
  }

  /// The system's text for an error number, with what to do if that is known.
  private static func reason(_ errno: Int32) -> String {
    let words = String(cString: strerror(errno))
    let advice: String? =
      switch errno {
      case EACCES, EPERM, EROFS: "write to a folder of your own"
      case ENOSPC, EDQUOT: "free some space and try again"
      case ENOENT, ENOTDIR: "make the folder first"
      case EFBIG: "raise the file-size limit or write less"
      case EMFILE, ENFILE: "close some files and try again"
      default: nil
      }
    return advice.map { "\(words); \($0)" } ?? words
  }
}

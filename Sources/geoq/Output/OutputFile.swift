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
  /// - Parameters:
  ///   - path: As the user gave it.
  ///   - force: Whether to replace an existing file.
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

  /// Adds bytes.
  ///
  /// - Throws: `OutputError` if they cannot be written.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try writer.write(gzip?.compress(bytes) ?? bytes)
  }

  deinit {
    discard()
  }

  /// Makes the content durable and renames the file.
  ///
  /// - Throws: `OutputError` if something could not be written; the temporary file is then removed.
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

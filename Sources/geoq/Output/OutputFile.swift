#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The file of `-o`, which is either complete or not there.
///
/// Bytes go into a temporary file in the same folder, and `commit()` puts it in place: a failure, a
/// signal or a crash leaves what was there before. A symbolic link stays, the file it names is
/// replaced. Pipes and devices are written directly.
///
///     let file = try OutputFile(path: "dallas.geojson", force: false)
///     try file.write(Array("{}\n".utf8))
///     try file.commit()
///
/// A file replaced keeps its permissions, a new one has those the umask leaves. One whose name ends in
/// `.gz` is compressed.
final class OutputFile {
  /// Where the bytes go, compressed or not.
  let writer: OutputWriter

  private let gzip: GzipStream?
  private let path: String
  private let force: Bool
  private let descriptor: Int32
  private let temporary: TemporaryFile?
  private var isOpen = true

  /// Opens the output; nothing can be seen at the path until `commit()`.
  ///
  /// - Parameters:
  ///   - path: As the user gave it.
  ///   - force: Whether to replace a file that exists.
  /// - Throws: `OutputError` if the path is not to be written to.
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

  /// Adds bytes.
  ///
  /// - Throws: `OutputError` if they cannot be written.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try writer.write(gzip?.compress(bytes) ?? bytes)
  }

  deinit {
    discard()
  }

  /// Makes the content durable and puts it in place.
  ///
  /// - Throws: `OutputError` if anything is not known to have arrived; the temporary is then gone.
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

  /// Gives up and leaves at the path what was there before.
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

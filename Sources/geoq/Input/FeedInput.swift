import CCurl
import GeoFeed
import GeoStore

/// The input of an import, and the source of its records.
struct FeedInput {
  /// The address, or the path.
  let name: String

  private let isAddress: Bool

  /// Whether the source's name is an address with a query, which may contain a key.
  var hasQuery: Bool { isAddress && sourceName == name && name.contains("?") }

  /// The name of the feed in errors.
  var shownName: String { name == "-" ? "standard input" : name }

  enum Kind {
    case file, pipe, standardInput, address
  }

  /// The kind of the input; a missing file counts as a file.
  var kind: Kind {
    if name == "-" { return .standardInput }
    if isAddress { return .address }
    return Self.isPipe(name) ? .pipe : .file
  }

  /// Whether a path leads to a pipe, a device or a folder.
  private static func isPipe(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
  }

  /// The name of the source: the given one, otherwise the file's name or the address.
  let sourceName: String

  init(name: String, source: String?) {
    self.name = name
    isAddress = FeedDownload.isAddress(name)
    sourceName = source ?? Self.sourceName(of: name, isAddress: isAddress)
  }

  /// Opens the feed, unless the store has it already: nil if the server says that it has not changed.
  ///
  /// - Throws: `CommandFailure` about the feed, or `StoreError`.
  func open(
    for place: StorePlace,
    always: Bool,
    seconds: Int,
    layer: String?
  ) throws -> (bytes: any ByteSource, origin: FeedOrigin?)? {
    if name == "-" { return (try FeedFile(pathOrInput: name), nil) }
    if !isAddress {
      if let file = try GDALFile(name, layer: layer) { return (file, nil) }
      guard layer == nil else {
        throw CommandFailure.usage(
          name,
          "--layer is for files that GDAL reads, and it is none or GDAL is not installed"
        )
      }
      return (try FeedFile(path: name), nil)
    }
    let limits = FeedDownload.Limits(seconds: seconds)
    let known = always ? nil : try known(in: place)
    guard let (file, origin) = try FeedDownload.fetch(name, known: known, limits: limits) else {
      return nil
    }
    return (file, origin)
  }

  /// The version of this address in the store; nil if it was not fetched from there.
  private func known(in place: StorePlace) throws -> FeedOrigin? {
    guard let store = try? place.open() else { return nil }
    defer { try? store.close() }
    guard let origin = try store.origin(of: sourceName), origin.address == name else { return nil }
    return origin
  }

  private static func sourceName(of name: String, isAddress: Bool) -> String {
    // the number of a descriptor names nothing
    let isDescriptor = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"].contains { name.hasPrefix($0) }
    if name == "-" || isDescriptor || !isAddress && isPipe(name) { return "stdin" }
    guard isAddress else { return String(name.split(separator: "/").last ?? Substring(name)) }
    return name
  }
}

/// A feed that is read piece by piece from a file, a named pipe or standard input.
final class FeedFile: ByteSource {
  /// Its name in errors.
  let name: String

  private var bytes: FileBytes
  private let descriptor: Int32

  /// Opens a file or a named pipe.
  ///
  /// - Throws: `CommandFailure` if it is missing, a folder, a device or not readable.
  convenience init(path: String) throws {
    self.init(descriptor: try Self.descriptor(of: path), name: path)
  }

  /// Opens a file or a named pipe; `-` is standard input.
  ///
  /// - Throws: `CommandFailure` as for a path.
  convenience init(pathOrInput path: String) throws {
    if path == "-" {
      self.init(descriptor: dup(CommandContext.current.input), name: "standard input")
    } else {
      try self.init(path: path)
    }
  }

  /// Reads from an open descriptor, which is closed at the end.
  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    bytes = FileBytes(descriptor: descriptor)
    self.name = name
  }

  deinit {
    close(descriptor)
  }

  /// The size of a file in bytes; nil for a pipe.
  var size: Int? {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(facts.st_size)
  }

  /// The number of bytes of text to come; nil if unknown: for a pipe, or compressed.
  var textByteCount: Int? {
    var start: [UInt8] = [0, 0]
    return pread(descriptor, &start, 2, 0) == 2 && start != [0x1F, 0x8B] ? size : nil
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    do {
      return try bytes.read(into: space)
    } catch {
      throw CommandFailure.inputOutput(name, "\(error)")
    }
  }

  private static func descriptor(of path: String) throws -> Int32 {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw failure(path, errno) }
    switch facts.st_mode & S_IFMT {
    case S_IFREG, S_IFIFO: break
    case S_IFDIR: throw CommandFailure.noInput(path, "is a folder; name a file in it")
    default: throw CommandFailure.noInput(path, "is a device, not a file")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(path, errno) }
    return descriptor
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case ENOENT, ENOTDIR: CommandFailure.noInput(path, "no such file")
    case EACCES, EPERM:
      CommandFailure.permission("\(terminalSafe(path)) is not readable; check its permissions")
    default: CommandFailure.noInput(path, "cannot be opened: \(String(cString: strerror(code)))")
    }
  }
}

/// A response as it arrives: the relevant header fields, and the body in a nameless file.
///
/// The body is kept only if the status is a success.
final class IncomingFeed {
  private(set) var status = 0
  /// The reason phrase of the status.
  private(set) var statusText = ""
  private(set) var etag: String?
  private(set) var lastModified: String?
  /// Whether the body is larger than the limit.
  private(set) var isTooLarge = false
  /// The error number of a failed write to the file.
  private(set) var writeError: Int32?

  var isSuccess: Bool { 200..<300 ~= status }

  private let maximumBytes: Int
  private var byteCount = 0
  private var isInHead = false
  private var descriptor: Int32

  init(maximumBytes: Int) throws {
    self.maximumBytes = maximumBytes
    let folder = CommandContext.variable("TMPDIR") ?? "/tmp"
    var template = Array("\(folder)/geoq-feed-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw CommandFailure.inputOutput(
        "cannot make a temporary file in \(terminalSafe(folder)): "
          + "\(String(cString: strerror(errno))); set TMPDIR to another folder"
      )
    }
    unlink(template)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Runs the transfer, and returns libcurl's code.
  func receive(_ transfer: CurlTransfer) -> Int32 {
    let context = Unmanaged.passUnretained(self).toOpaque()
    transfer.set(GEOQ_CURLOPT_HEADERDATA, context)
    transfer.set(GEOQ_CURLOPT_WRITEDATA, context)
    transfer.set(GEOQ_CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
      IncomingFeed.of(context)?.takeLine(UnsafeRawBufferPointer(start: bytes, count: count))
      return count
    }
    transfer.set(GEOQ_CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      let isTaken = IncomingFeed.of(context)?.take(.init(start: bytes, count: count))
      return isTaken == true ? count : 0
    }
    return withExtendedLifetime(self) { transfer.run() }
  }

  /// The feed from its start; the caller owns the file.
  func file(name: String) throws -> FeedFile {
    lseek(descriptor, 0, SEEK_SET)
    defer { descriptor = -1 }
    return FeedFile(descriptor: descriptor, name: name)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> IncomingFeed? {
    context.map { Unmanaged<IncomingFeed>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Reads a line of a head: each redirect has a head, and the last one counts.
  private func takeLine(_ bytes: UnsafeRawBufferPointer) {
    let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
    let line = String(decoding: bytes[..<end], as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      statusText = String(line.drop { $0 != " " }.drop { $0 == " " })
      status = Int(statusText.prefix(3)) ?? 0
      (etag, lastModified, isInHead) = (nil, nil, true)
    } else if line.isEmpty {
      // what follows the body is not part of the head
      isInHead = false
    } else if isInHead, let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      switch line[..<colon].lowercased() {
      case "etag": etag = etag ?? String(value)
      case "last-modified": lastModified = lastModified ?? String(value)
      default: break
      }
    }
  }

  /// Adds a piece of the body; false ends the transfer.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard isSuccess else { return false }
    byteCount += bytes.count
    isTooLarge = byteCount > maximumBytes
    if isTooLarge { return false }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      guard count > 0 || errno == EINTR else {
        writeError = errno
        return false
      }
      rest = rest.dropFirst(max(count, 0))
    }
    return true
  }
}

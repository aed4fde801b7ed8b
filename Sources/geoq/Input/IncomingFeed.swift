import CCurl

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
      throw CommandFailure(
        "cannot make a temporary file in \(terminalSafe(folder)): "
          + "\(String(cString: strerror(errno))); set TMPDIR to another folder",
        exitCode: CommandFailure.inputOutput
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

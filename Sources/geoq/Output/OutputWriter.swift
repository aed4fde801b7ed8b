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

  /// A writer that leaves the descriptor open.
  ///
  /// - Parameters:
  ///   - descriptor: An open descriptor, blocking or not.
  ///   - path: Its name in errors, such as `standard output`.
  ///   - capacity: The size of the buffer in bytes.
  ///   - writeCall: The system call.
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
  ///
  /// - Throws: `OutputError.closed` or `.failed`.
  func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
    if let failure { throw failure }
    buffer.append(contentsOf: bytes)
    if buffer.count >= capacity { try flush() }
  }

  /// Adds text as UTF-8, and writes the buffer when it is full.
  ///
  /// - Throws: `OutputError.closed` or `.failed`.
  func write(_ text: String) throws(OutputError) {
    try write(text.utf8)
  }

  /// Writes all buffered bytes.
  ///
  /// - Throws: `OutputError.closed` or `.failed`.
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

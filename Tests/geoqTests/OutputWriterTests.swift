import Testing

@testable import geoq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct OutputWriterTests {
  /// A system call that takes some bytes or fails, as the steps say, and then takes everything.
  private final class Script {
    enum Step {
      case take(Int)
      case fail(Int32)
    }

    var steps: [Step]
    var taken: [UInt8] = []
    var calls = 0

    init(_ steps: [Step] = []) { self.steps = steps }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
      calls += 1
      let step = steps.isEmpty ? Step.take(count) : steps.removeFirst()
      switch step {
      case .take(let most):
        taken += UnsafeRawBufferPointer(start: bytes, count: min(most, count))
        return min(most, count)
      case .fail(let code):
        errno = code
        return -1
      }
    }
  }

  private func writer(_ script: Script, capacity: Int = 8) -> OutputWriter {
    OutputWriter(descriptor: -1, path: "out", capacity: capacity, writeCall: script.write)
  }

  @Test
  func `bytes wait in the buffer until it is full or flushed`() throws {
    let script = Script()
    let writer = writer(script)
    try writer.write("1234567")
    #expect(script.calls == 0)
    try writer.write([UInt8(ascii: "8")])
    #expect(script.calls == 1)
    try writer.write("9")
    try writer.flush()
    #expect(script.taken == Array("123456789".utf8))
  }

  @Test
  func `flushing nothing calls nothing`() throws {
    let script = Script()
    try writer(script).flush()
    #expect(script.calls == 0)
  }

  @Test
  func `a partial write is continued where it ended`() throws {
    let script = Script([.take(1), .take(3), .take(2)])
    let writer = writer(script)
    try writer.write("寿司 Sachi")
    try writer.flush()
    #expect(String(decoding: script.taken, as: UTF8.self) == "寿司 Sachi")
    #expect(script.calls == 4)
  }

  @Test
  func `an interrupted write is done again`() throws {
    let script = Script([.fail(EINTR), .take(2), .fail(EINTR)])
    let writer = writer(script)
    try writer.write("12345678")
    #expect(script.taken == Array("12345678".utf8))
  }

  @Test
  func `a full non-blocking pipe is waited for`() throws {
    let pipe = makePipe()
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    let script = Script([.fail(EAGAIN), .take(2), .fail(EWOULDBLOCK)])
    let call = script.write
    let writer = OutputWriter(
      descriptor: pipe.writing,
      path: "out",
      capacity: 8,
      writeCall: call
    )
    try writer.write("12345678")
    #expect(script.taken == Array("12345678".utf8))
  }

  @Test
  func `an error is thrown with its place, and again by every later call`() throws {
    let script = Script([.take(1), .fail(ENOSPC)])
    let writer = writer(script)
    let error = OutputError.failed(path: "out", errno: ENOSPC)
    #expect(throws: error) { try writer.write("12345678") }
    #expect(throws: error) { try writer.flush() }
    #expect(throws: error) { try writer.write("1") }
    #expect(script.calls == 2)
  }

  @Test
  func `a device that takes nothing is an error, not a loop`() {
    let script = Script([.take(0)])
    #expect(throws: OutputError.failed(path: "out", errno: EIO)) {
      try writer(script).write("12345678")
    }
  }

  @Test
  func `a closed pipe throws closed`() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = makePipe()
    defer { close(pipe.writing) }
    close(pipe.reading)
    let writer = OutputWriter(descriptor: pipe.writing, path: "standard output")
    try writer.write("one line\n")
    #expect(throws: OutputError.closed) { try writer.flush() }
    #expect(throws: OutputError.closed) { try writer.flush() }
  }

  @Test
  func `what is written arrives`() throws {
    let pipe = makePipe()
    let writer = OutputWriter(descriptor: pipe.writing, path: "standard output")
    try writer.write("Café\n")
    try writer.write([1, 2, 3])
    try writer.flush()
    close(pipe.writing)
    defer { close(pipe.reading) }
    #expect(readToEnd(of: pipe.reading) == Array("Café\n".utf8) + [1, 2, 3])
  }
}

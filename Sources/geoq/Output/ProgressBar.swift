import GeoStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How far an import is, on one line of standard error; nothing where that is no terminal.
///
/// The line is gone when the work is done.
final class ProgressBar {
  private let size: Int?
  private let isShown: Bool
  private let start = Stopwatch.now
  private var last = 0

  private static let interval = 100_000_000

  /// - Parameters:
  ///   - size: The bytes that there are to read, where that is known.
  ///   - isQuiet: Whether to say nothing.
  init(size: Int?, isQuiet: Bool) {
    self.size = size
    isShown = !isQuiet && Terminal.isTTY(STDERR_FILENO)
  }

  /// Shows how far it is; ten times a second at most.
  func show(_ progress: ImportProgress) {
    let now = Stopwatch.now
    guard isShown, now - max(last, start) >= Self.interval else { return }
    last = now
    let seconds = Double(now - start) / 1e9
    write("\r\u{1B}[K" + Self.line(progress, size: size, seconds: seconds))
  }

  /// Takes the line away.
  func clear() {
    if last > 0 { write("\r\u{1B}[K") }
  }

  /// The line: records, records a second, and the time left where the size is known.
  static func line(_ progress: ImportProgress, size: Int?, seconds: Double) -> String {
    let rate = seconds > 0 ? Int(Double(progress.records) / seconds) : 0
    let text = "\(grouped(progress.records)) records, \(grouped(rate)) a second"
    guard let size, size > 0, progress.bytes > 0 else { return text }
    if progress.bytes >= size { return text + ", writing the index" }
    let left = seconds * Double(size - progress.bytes) / Double(progress.bytes)
    return text + ", \(progress.bytes * 100 / size) %, \(Int(left.rounded(.up))) s left"
  }

  private func write(_ text: String) {
    let writer = OutputWriter(descriptor: STDERR_FILENO, path: "standard error")
    try? writer.write(text)
    try? writer.flush()
  }
}

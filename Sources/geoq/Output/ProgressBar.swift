import Foundation
import GeoStore

/// What a command is doing, on one line of standard error; nothing if that is not a terminal.
///
/// The line appears after a second, is drawn by a thread of its own, so that it goes on while one long
/// step runs, and is gone when the work is done.
///
/// `@unchecked Sendable`: everything is touched under the lock only.
final class ProgressBar: @unchecked Sendable {
  private let lock = NSLock()
  private let start = Stopwatch.now
  private var text: (_ seconds: Double) -> String
  private var isRunning: Bool
  private var isDrawn = false

  private static let delay = 1_000_000_000

  /// - Parameters:
  ///   - isQuiet: Whether to show nothing.
  ///   - text: What is being done, until `show` says something else.
  init(isQuiet: Bool, _ text: String) {
    self.text = { Self.line(text, seconds: $0) }
    isRunning = !isQuiet && Terminal.isTTY(STDERR_FILENO)
    guard isRunning else { return }
    Thread { [weak self] in
      while self?.draw() == true { usleep(100_000) }
    }.start()
  }

  deinit {
    clear()
  }

  /// Shows another line from now on.
  func show(_ text: @escaping (_ seconds: Double) -> String) {
    lock.withLock { self.text = text }
  }

  /// Shows what is being done, and for how long.
  func show(_ text: String) {
    let began = Double(Stopwatch.now - start) / 1e9
    show { Self.line(text, seconds: $0 - began) }
  }

  /// Takes the line away, for good.
  func clear() {
    lock.withLock {
      if isDrawn { write("\r\u{1B}[K") }
      isRunning = false
      isDrawn = false
    }
  }

  /// Draws the line if it is time.
  ///
  /// - Returns: False when there is nothing more to draw.
  private func draw() -> Bool {
    lock.withLock {
      let elapsed = Stopwatch.now - start
      if isRunning, elapsed >= Self.delay {
        write("\r\u{1B}[K" + text(Double(elapsed) / 1e9))
        isDrawn = true
      }
      return isRunning
    }
  }

  /// A step that does not know its end: what it is, and its seconds.
  static func line(_ text: String, seconds: Double) -> String {
    "\(text), \(Int(max(0, seconds))) s"
  }

  /// A step that knows its end: how many of how many, their rate, and the time left.
  ///
  /// - Parameters:
  ///   - count: What is done.
  ///   - unit: What is counted.
  ///   - share: How much of the work that is, 0 to 1; nil if it is not known.
  ///   - seconds: The time that it took.
  /// - Returns: The line.
  static func line(_ count: Int, _ unit: String, share: Double?, seconds: Double) -> String {
    let rate = seconds > 0 ? Int(Double(count) / seconds) : 0
    let text = "\(grouped(count)) \(unit), \(grouped(rate)) a second"
    guard let share, share > 0 else { return text }
    let percent = text + ", \(Int(share * 100)) %"
    // too early, a guess would be wrong by much
    guard seconds >= 1, share >= 0.01 else { return percent }
    return percent + ", \(Int((seconds * (1 - share) / share).rounded(.up))) s left"
  }

  private func write(_ text: String) {
    let writer = OutputWriter(descriptor: STDERR_FILENO, path: "standard error")
    try? writer.write(text)
    try? writer.flush()
  }
}

extension ImportProgress {
  /// The line: records, records a second, and the time left if the size is known.
  func line(size: Int?, seconds: Double) -> String {
    let share = size.flatMap { $0 > 0 ? min(1, Double(bytes) / Double($0)) : nil }
    return ProgressBar.line(records, "records", share: share, seconds: seconds)
  }
}

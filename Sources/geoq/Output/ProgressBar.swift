import Foundation
import GeoStore

/// Shows what a command is doing, on one line of standard error, if that is a terminal.
///
/// The line appears after a second and disappears at the end. A separate thread draws it, so that
/// it also moves during a long step.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class ProgressBar: @unchecked Sendable {
  private let lock = NSLock()
  private let start = Stopwatch.now
  private var text: (_ seconds: Double) -> String
  private var isRunning: Bool
  private var isDrawn = false

  private static let delay = 1_000_000_000

  /// - Parameters:
  ///   - isQuiet: Whether to show nothing.
  ///   - text: The current step, until `show` replaces it.
  init(isQuiet: Bool, _ text: String) {
    self.text = { Self.line(text, seconds: $0) }
    isRunning = !isQuiet && Terminal.isTTY(CommandContext.current.error)
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

  /// Shows the current step, and its time.
  func show(_ text: String) {
    let began = Double(Stopwatch.now - start) / 1e9
    show { Self.line(text, seconds: $0 - began) }
  }

  /// Removes the line.
  func clear() {
    lock.withLock {
      if isDrawn { write("\r\u{1B}[K") }
      isRunning = false
      isDrawn = false
    }
  }

  /// Draws the line if it is time.
  ///
  /// - Returns: False if there is nothing more to draw.
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

  /// The line of a step whose length is unknown: its name and time.
  static func line(_ text: String, seconds: Double) -> String {
    "\(text), \(Int(max(0, seconds))) s"
  }

  /// The line of a step whose length is known: count, rate, and remaining time.
  ///
  /// - Parameters:
  ///   - count: The number done.
  ///   - unit: What is counted.
  ///   - share: The share of the work that is done, 0 to 1; nil if unknown.
  ///   - seconds: The time so far.
  /// - Returns: The line.
  static func line(_ count: Int, _ unit: String, share: Double?, seconds: Double) -> String {
    let rate = seconds > 0 ? Int(Double(count) / seconds) : 0
    let text = "\(grouped(count)) \(unit), \(grouped(rate)) a second"
    guard let share, share > 0 else { return text }
    let percent = text + ", \(Int(share * 100)) %"
    // at the start, an estimate would be far off
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
  /// The line of an import: records, records per second, and the remaining time if the size is
  /// known.
  func line(size: Int?, seconds: Double) -> String {
    let share = size.flatMap { $0 > 0 ? min(1, Double(bytes) / Double($0)) : nil }
    return ProgressBar.line(records, "records", share: share, seconds: seconds)
  }
}

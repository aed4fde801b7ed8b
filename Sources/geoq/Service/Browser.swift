import Foundation

/// The user's browser.
enum Browser {
  #if os(macOS)
  private static let program = "open"
  #else
  private static let program = "xdg-open"
  #endif

  /// Opens a page; does nothing without a browser.
  static func show(_ address: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, address]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      StandardStreams.complain("cannot start a browser; open \(address)")
    }
  }
}

import Foundation
import Testing

/// Compares a text with the one kept under a name in `Snapshots/`.
///
/// With `UPDATE_SNAPSHOTS=1` in the environment the text is kept instead.
func expectSnapshot(
  _ text: String,
  _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Snapshots/" + name)
  if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
    try Data(text.utf8).write(to: file)
    return
  }
  let kept = try? String(decoding: Data(contentsOf: file), as: UTF8.self)
  #expect(
    text == kept,
    "Snapshots/\(name) differs; where the new text is right: UPDATE_SNAPSHOTS=1 swift test",
    sourceLocation: sourceLocation
  )
}

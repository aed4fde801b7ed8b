import Testing

@testable import geoq

struct TemporaryFileTests {
  private let folder = ScratchFolder()

  @Test
  func `two temporaries for one target do not collide`() throws {
    let place = FilePlace(path: folder["a.csv"])
    let first = try TemporaryFile(for: place, permissions: nil, path: "a.csv")
    let second = try TemporaryFile(for: place, permissions: 0o640, path: "a.csv")
    #expect(folder.names.count == 2)
    #expect(folder.names.contains { folder.permissions(of: $0) == 0o640 })
    try first.moveIntoPlace(force: false)
    #expect(throws: OutputError.exists(path: "a.csv")) { try second.moveIntoPlace(force: false) }
    try second.moveIntoPlace(force: true)
    #expect(folder.names == ["a.csv"])
  }

  @Test
  func `removing after the move keeps the file`() throws {
    let place = FilePlace(path: folder["a.csv"])
    let file = try TemporaryFile(for: place, permissions: nil, path: "a.csv")
    try file.moveIntoPlace(force: false)
    file.remove()
    #expect(folder.names == ["a.csv"])
  }
}

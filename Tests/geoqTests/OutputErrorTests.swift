import Testing

@testable import geoq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct OutputErrorTests {
  @Test(
    arguments: [
      (.closed, 0), (.exists(path: "a"), 73),
      (.notAFile(path: "a", what: "a folder"), 73),
      (.cannotCreate(path: "a", errno: EACCES), 77),
      (.cannotCreate(path: "a", errno: EPERM), 77),
      (.cannotCreate(path: "a", errno: ENOENT), 73),
      (.cannotCreate(path: "a", errno: EROFS), 73),
      (.cannotCreate(path: "a", errno: ENOSPC), 74),
      (.failed(path: "a", errno: ENOSPC), 74),
      (.failed(path: "a", errno: EIO), 74),
      (.failed(path: "a", errno: EACCES), 77),
    ] as [(OutputError, Int32)]
  )
  func `the exit code follows the error number`(error: OutputError, code: Int32) {
    #expect(error.exitCode == code)
  }

  @Test
  func `an error says what, where and what to do`() {
    let exists = OutputError.exists(path: "a.geojson")
    #expect(exists.description == "a.geojson exists; use --force to overwrite it")
    let folder = OutputError.notAFile(path: "/tmp", what: "a folder")
    #expect(folder.description == "/tmp is a folder; name a file")
    let full = OutputError.failed(path: "a.csv", errno: ENOSPC)
    #expect(
      full.description
        == "cannot write a.csv: No space left on device; free some space and try again"
    )
    let missing = OutputError.cannotCreate(path: "no/a.csv", errno: ENOENT)
    #expect(
      missing.description
        == "cannot create no/a.csv: No such file or directory; make the folder first"
    )
  }

  @Test
  func `controls in a path are made visible`() {
    #expect(OutputError.exists(path: "\u{1B}c").description.hasPrefix(#"\u{1b}c exists"#))
  }
}

import Testing

@testable import geoq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct TemporaryCleanupTests {
  private let folder = ScratchFolder()

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal removes the temporaries and ends the process`(number: Int32) async {
    folder.write("old", to: "a.csv")
    let path = folder.path
    let result = await #expect(
      processExitsWith: .failure
    ) { [path = path as String, number = number as Int32] in
      let first = try OutputFile(path: path + "/a.csv", force: true)
      let second = try OutputFile(path: path + "/b.csv", force: false)
      try first.writer.write("half")
      try first.writer.flush()
      try second.writer.write("half")
      kill(getpid(), number)  // not raise: Dispatch's threads block signals, the main one does not
      sleep(60)  // never over if the signal does what it should
      try second.commit()
    }
    #expect(result?.exitStatus == .signal(number))
    #expect(folder.names == ["a.csv"])
    #expect(folder.text(of: "a.csv") == "old")
  }

  @Test
  func `an ignored signal stays ignored`() async {
    let path = folder.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGHUP, SIG_IGN)
      let file = try OutputFile(path: path + "/a.csv", force: false)
      kill(getpid(), SIGHUP)
      try file.commit()
    }
    #expect(folder.names == ["a.csv"])
  }

  @Test
  func `what does not fit is not remembered`() {
    let slots = (0..<64).map { _ in TemporaryCleanup.remember("none", in: -1) }
    defer { for slot in slots { TemporaryCleanup.forget(slot) } }
    #expect(slots.contains(nil))
    let known = slots.compactMap(\.self)
    #expect(Set(known).count == known.count)
  }
}
